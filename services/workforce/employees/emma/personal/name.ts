/** Names of people, by what stands around them; no list knows them all. */
import { isEnglishWord, rarity, stemOf } from '../../src/text/english.ts'
import { anyCase } from './any-case.ts'
import { emails } from './email.ts'
import type { Found } from './found.ts'

export function* names(text: string): Iterable<Found> {
  const known = new Set<string>()
  for (const { pattern, isName } of cues)
    for (const { 0: whole, 1: told = '', index, groups } of text.matchAll(pattern)) {
      const name = withoutSpeech(told)
      if (name === '' || isRole(name) || (isName && !isName(name))) continue
      const start = index + whole.length - told.length - (groups?.behind?.length ?? 0)
      yield { kind: 'name', start, end: start + name.length }
      for (const word of wordsIn(name)) if (!isEnglishWord(word)) known.add(word)
    }
  for (const { start, end } of emails(text))
    for (const word of ownersIn(text.slice(start, end))) if (!isEnglishWord(word) && !roles.has(word)) known.add(word)
  if (known.size === 0) return
  // Said once by its sign, a name is one wherever it stands.
  for (const { 0: word, index: start } of text.matchAll(/(?<![\p{L}\p{M}])\p{Lu}[\p{L}\p{M}]{2,40}(?![\p{L}\p{M}])/gu))
    if (known.has(word.toLowerCase()))
      yield { kind: 'name', start: start - before(text, start), end: start + word.length }
}

/**
 * The words of an address before its host, which may be a person's name. The address of a mailing list, such as gcc-help, has none,
 * nor has one that says its domain once more, such as valgrind@valgrind.org: that is a firm's or a product's.
 */
function ownersIn(address: string): string[] {
  const [local = '', host = ''] = address.split(/@|\s|[[(]/)
  const isOfDomain = host.toLowerCase().startsWith(`${local.toLowerCase()}.`)
  return nameOfList.test(local) || hostOfLists.test(host) || isOfDomain ? [] : wordsIn(local)
}

const nameOfList = /^[^-._+]+-(?:announce|bugs|commits|devel|developers|discuss|help|users)$/i
/** Not list.ru, where people have their mail. */
const hostOfLists = /^(?:lists?\.[^.]+\..|groups\.io$|googlegroups\.com$)/i

/** How many signs of a first name stand before a last one: “call Jane Doe”, where only Doe is known. */
const before = (text: string, start: number): number => {
  const [, first = ''] =
    /[\p{Ll}\d,] (\p{Lu}[\p{L}\p{M}]{1,40}[ \u00a0])$/u.exec(text.slice(Math.max(0, start - 60), start)) ?? []
  return isRole(first) || isTitle.test(first) ? 0 : first.length
}

const wordsIn = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{M}]{3,40}/gu) ?? []

/** In a text all in capitals, what goes on behind a name is cut off: “JOHN SMITH AND I”. */
function withoutSpeech(told: string): string {
  const speech = [...told.matchAll(/(?<!\p{L})\p{Lu}{2,40}(?!\p{L})/gu)].find(
    ({ 0: word }) => rarity(stemOf(word.toLowerCase())) < COMMON,
  )
  return told.slice(0, speech?.index).trimEnd()
}

const COMMON = 0.55

/** Whether it is that of no person: a team, a firm, a courtesy. */
const isRole = (name: string): boolean => wordsIn(name).some(word => roles.has(word))

const roles = new Set(
  'accounts admin all billing care client colleague colleagues company contact corp customer customers damen department desk everybody everyone folks friend friends gmbh guys hello help helpdesk herren inc info kundenservice kunde ladies llc ltd madam mail manager newsletter noreply office order orders owner partner plc please press reception reply returns sales sent service shop sir sirs staff store support team thank thanks the there user webmaster'.split(
    ' ',
  ),
)

/** A word of a name, `O’Brien`, `McDonald` and `MILLER` too, or an initial. */
const part = "\\p{Lu}(?:\\.|[\\p{L}\\p{M}]{0,40}(?:[’'-][\\p{L}\\p{M}]{1,40}){0,3})(?![\\p{L}\\p{N}])"
const particles = '(?:(?:van|von|der|den|de|da|del|della|di|la|le|bin|al|y) ){0,2}'
const titleWord =
  '(?:Mrs?|MRS?|Ms|Miss|Mx|Dr|DR|Prof|PROF|Herrn?|HERRN?|Frau|FRAU|Mme|Mlle|Madame|Monsieur|Señora?|Sra?|Signora?)'
const isTitle = new RegExp(`^${titleWord}[.\\s]*$`, 'u')
const title = `${titleWord}\\.?[ \\u00a0]`
/** “Herr Dr.”, “Mr. and Mrs.”: titles are no part of the name. */
const titles = `(?:${title}(?:(?:and|AND|&|und|UND|et|y)[ \\u00a0])?){0,3}`
const name = `${titles}((?!${titleWord}(?![\\p{L}\\p{N}]))${part}(?:[ \\u00a0]${particles}${part}){0,3})`
const lineEnd = '(?<behind>[ \\t.!,]{0,3})(?=\\n|$)'

const closings =
  'best|(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes|thanks)|thank you(?: (?:very|so) much)?|thx|cheers|sincerely(?: yours)?|yours(?: (?:sincerely|faithfully|truly))?|love|(?:mit )?(?:freundlichen|besten|vielen|lieben) grüßen|(?:viele|liebe|beste|freundliche) grüße|mfg|lg|danke(?: schön)?|(?:vielen|besten|herzlichen) dank|many thanks|(?:bien )?cordialement|merci|bien à vous|(?:un )?saludos?|(?:un )?cordial saludo|atentamente|gracias|cordiali saluti|met vriendelijke groet'

const cue = (before: string, behind = '') => new RegExp(`(?<![\\p{L}\\p{N}])${before}${name}${behind}`, 'gu')

const isForeign = (one: string) => wordsIn(one).some(word => !isEnglishWord(word))
const isOfTwo = (one: string) => /[ \u00a0]/.test(one)
/** All in capitals it may be what somebody stresses. */
const hasSmall = (one: string) => /\p{Ll}/u.test(one)
/** HR, IT, “DHL Express”: a team or a firm. */
const isSpelled = (one: string) => !/^\p{Lu}{2,3}(?: .*\p{Ll}|$)/u.test(one)

const cues: readonly { readonly pattern: RegExp; readonly isName?: (name: string) => boolean }[] = [
  // “Regards,” and a line of its own, or what ends the line.
  {
    pattern: cue(
      `${anyCase(closings)}${anyCase(' in advance| again')}?[ \\t]?[,!.–-]{0,2}[ \\t]{0,3}\\n\\s{0,8}`,
      lineEnd,
    ),
    isName: isSpelled,
  },
  { pattern: cue(`${anyCase(closings)}, `, lineEnd), isName: isSpelled },
  // “— Jane Doe”, which ends the text: a hyphen there may be that of a list.
  { pattern: cue('(?<=\\n[ \\t]{0,3})(?:[—–]|--)[ \\t]?', '(?<behind>[ \\t.]{0,3})(?=\\s{0,8}$)'), isName: isSpelled },
  {
    pattern: cue(
      `${anyCase("my name(?: is|[’']s)|mein name ist|ich hei(?:ß|ss)e|je m[’']appelle|mon nom est|me llamo|mi nombre es")} `,
    ),
  },
  { pattern: cue(`${anyCase("I am|I[’']m")} `), isName: one => isForeign(one) && hasSmall(one) && !isOrigin(one) },
  {
    pattern: cue(`${anyCase('this is|ich bin|hier ist|je suis|soy')} `),
    isName: one => isOfTwo(one) && isForeign(one) && hasSmall(one),
  },
  {
    pattern: cue(`${anyCase('this is')} `, '(?<behind> )(?=(?:from|speaking|calling|here|again)(?!\\p{L}))'),
    isName: hasSmall,
  },
  { pattern: cue(`(?=${title})`) },
  {
    pattern: cue(
      `${anyCase('dear|hi|hello|hey|good (?:morning|afternoon|evening)|lieber?|hallo|guten (?:tag|morgen)|chère?|bonjour|hola|estimad[oa]')} `,
      '(?=[ \\t]?[,!:\\n]|$)',
    ),
    isName: isSpelled,
  },
  {
    pattern: cue(
      // Where a line, a sentence or an item begins: a “product name” is none.
      `(?<=(?:^|[^\\p{L}\\p{N}’' \\t-]|(?:^|\\s)-)[ \\t]{0,8})${anyCase('(?:(?:full|first|last|customer|guest|account) )?name|customer|guest|recipient|passenger|tenant')}[ \\t]?:[ \\t]{0,3}`,
      '(?=[ \\t]{0,3}(?:[,;.)\\n]|$))',
    ),
  },
]

/** “I am German” tells where somebody is from. */
const isOrigin = (one: string) => !isOfTwo(one) && /(?:ish|ese|ian|ean|man|ch|er|ic)$/.test(one)
