/** What of a text is searched by: the stems of the words that say something. */
import { stemOf } from '../../../src/text/english.ts'
import { folded } from '../../../src/text/plain-text.ts'
import { withoutPhrases } from './phrases.ts'

/** In their order, each as often as it stands there. An identifier such as `rate_limited` counts whole and by its parts. */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  for (const [found] of withoutPhrases(folded(text.replace(target, ']')).toLowerCase()).matchAll(token)) {
    const parts = found.split(/[_'-]+/).filter(part => part !== '')
    if (parts.length > 1 && found.includes('_')) terms.push(found)
    for (const part of found.includes("'") ? parts.slice(0, 1) : parts)
      if (!stopWords.has(part)) terms.push(stemOf(part))
  }
  return terms
}

/** Of a link the words count, and not where it leads. */
const target = /\]\([^()\s]{1,2000}\)/g

const token = /[\p{L}\p{M}\p{N}]+(?:[_'-][\p{L}\p{M}\p{N}]+)*/gu

/** Words of grammar, of politeness, and those that every question has. */
const stopWords = new Set(
  `a an the this that these those my your his her its our their i you he she it we they me him them us mine yours ours myself
  yourself itself themselves ourselves who whom whose which what where when why how there here and or but nor so if then than because since until while
  although though as of at by in into on onto from to up down out off over under with without within about for per via is are
  was were be been being am do does did done doing have has had having can could will would shall should may might must isn aren wasn
  weren don doesn didn haven hasn hadn couldn won wouldn shan shouldn mustn ain no not never also just even still already always ever
  too very really quite rather almost maybe perhaps now once both all most more less some any each every   such own
  same else let lets like want wants wanted need needs needed know knows please thanks thank hello hi hey dear
  help anyone anybody someone somebody something anything nothing everything thing things stuff way ways sort kind lot lots bit im
  ive id dont doesnt cant wont isnt whats hows theres wondering wonder possible possibly question regards cheers sir madam team ok
  one ones many much mean means two three four five six seven eight nine ten okay yes actually basically simply exactly s t d ll m re ve u`.split(
    /\s+/,
  ),
)
