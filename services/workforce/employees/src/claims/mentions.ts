/** Names and quotations: what a text mentions, and whether it was given. */
import { isEnglishWord } from '../text/english.ts'
import type { Material } from './material.ts'
import { isNumberWord } from './number-words.ts'
import { bareOf, flat, formsOf } from './words.ts'

/** Words with a capital within a sentence, and unknown ones at its start. Not for German, where every noun has one. */
export function namesIn(
  text: string,
  { words, stems, initials }: Pick<Material, 'words' | 'stems' | 'initials'>,
): string[] {
  if (closing.test(text)) return []
  const isTitle = isTitleCase(text)
  const loud = new Set(
    text.match(/(?<!\p{L})\p{Lu}{2,}(?: \p{Lu}{2,}){2,}(?!\p{L})/gu)?.flatMap(words => words.split(' ')),
  )
  const found = [...text.matchAll(/(?<![\p{L}\p{N}’'-])\p{Lu}[\p{L}\p{M}\p{N}’'-]*/gu)].filter(({ 0: name, index }) => {
    if (index > 0 && !opening.test(text.slice(Math.max(0, index - 4), index))) return !isTitle
    const behind = text.slice(index + name.length)
    const isWord = isEnglishWord(name.toLowerCase()) || isPlainForm(name.toLowerCase())
    return (!isWord && acts.test(behind)) || isFullName(behind)
  })
  return found
    .map(([name]) => name.replace(/[’']s?$/, ''))
    .filter(
      name =>
        !ordinary.test(name) &&
        !(loud.has(name) && isEnglishWord(name.toLowerCase())) &&
        !isNumberWord(name) &&
        !isKnown(name),
    )

  /** “Will Baker says”; in “Between March and” the second word is known. */
  function isFullName(behind: string): boolean {
    const second = secondName.exec(behind)?.[1]
    return second !== undefined && !ordinary.test(second) && !isKnown(second)
  }

  function isKnown(name: string): boolean {
    if (/^\p{Lu}{2,6}$/u.test(name) && [...words].some(word => /\d/.test(word) && word.startsWith(name.toLowerCase())))
      return true
    if (/^\p{Lu}{2,6}$/u.test(name) && initials.includes(name.toLowerCase())) return true
    return flat(name)
      .split(/[-']/)
      .every(part => words.has(part) || (part.length > 3 && formsOf(part).some(form => stems.has(form))))
  }
}

/** A letter may end in the words of another language. */
const closing =
  /^(?:Viele|Beste|Herzliche|Liebe|Mit \p{L}+en) Gr[üu](?:ß|ss)en?\b|^Bien à vous|^Cordialement|^(?:Un )?[Ss]aludos?\b/u

/** A headline has a capital at most words; there it makes no name. */
function isTitleCase(text: string): boolean {
  const longer = text.match(/\p{L}{4,}/gu) ?? []
  if (/^\P{L}*\p{Lu}\p{L}*(?: \p{Lu}\p{L}*){0,2}[.!]?$/u.test(text)) return true
  return (
    !/[.!?]$/.test(text) &&
    longer.length > 1 &&
    longer.filter(word => /^\p{Lu}/u.test(word)).length >= 0.75 * longer.length
  )
}

/** A form of an English word that the list does not have: “Handmade”, “Resetting”. */
const isPlainForm = (word: string): boolean =>
  /(?:ing|ed|ly|less|ness|made|able|ible|ful|ies|es|s|er|ers|tion|tions|ment|ize|ise)$/.test(word) || word.length < 3

const secondName = /^ (?:\p{Lu}\. )?(\p{Lu}\p{Ll}+) (?:says?|said|from|of|and|has|will|is|was|who|,)/u
/** Behind a name at the start stands what it is or does. An unknown word there is else one that the list does not have. */
const acts =
  /^(?:['’]s?(?!\p{L})|,? (?:and|or|&) \p{Lu}|,? who(?!\p{L})| (?:is|was|has|had|will|can|also)(?!\p{L})| \p{Ll}+(?:s|ed)(?!\p{L})| \p{Lu})/u
const opening = /(?:^|[.!?…:;。"“„(|\n–—•*\p{Extended_Pictographic}\p{Emoji_Modifier}-]|\uFE0F|[.!?…][)”’])\s{0,3}$/u
const ordinary =
  /^(?:GP|Eve|I|I['’].+|OK|PS|FAQ|Dear|Mr|Mrs|Ms|Dr|Hi|Hello|AM|PM|A|TV|PDF|PIN|ID|EUR|USD|GBP|CHF|January|February|March|April|May|June|July|August|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|[A-Z]|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)$/

/** Words in quotation marks that nobody gave, and who is said to have said something. */
export function quotesIn(text: string, { whole: known, bare: plain }: Pick<Material, 'whole' | 'bare'>): string[] {
  const quoted = [...text.matchAll(/["“„«]([^"“”„«»\n]{8,500})["”“»]/gu)]
    .map(([, inner = '']) => inner)
    .filter(
      inner => inner.trim().split(/\s+/).length >= (/^\p{Lu}/u.test(inner) ? 3 : 4) && !plain.includes(bareOf(inner)),
    )
  const said = (text.match(attributed) ?? []).filter(
    found => !known.includes(found.toLowerCase()) && !isOfSpeaker(text, known),
  )
  return [...quoted, ...said]
}

/** “Contrast, says Anna Tyson”, of whom a quotation was given. */
const isOfSpeaker = (text: string, known: string): boolean =>
  [...text.matchAll(/\p{Lu}\p{Ll}+ \p{Lu}\p{L}+/gu)].some(([name]) =>
    [`${name.toLowerCase()}: "`, `${name.toLowerCase()}, `].some(
      start => known.includes(start) && /^[^."]{0,40}"/.test(known.slice(known.indexOf(start) + name.length)),
    ),
  )

const attributed =
  /(?<!\p{L})(?:(?<!(?:it|this|that|which|sheet|note|list|label|policy|page|record|form|box|system|order|letter|table) )says|said(?= (?:that|it|they|he|she)(?!\p{L}))|(?<!(?:which|that|this|it) )explains|according to|in the words of|as .{3,30} puts it)(?!\p{L})/giu
