/** Postal addresses as they are written in Britain and the United States, in Germany, France, Spain, Italy and the Netherlands. */
import { anyCase } from './any-case.ts'
import type { Found } from './found.ts'

export function* addresses(text: string): Iterable<Found> {
  for (const { 0: whole, index: start } of sure.flatMap(pattern => [...text.matchAll(pattern)]))
    yield { kind: 'address', start, end: start + whole.length }
  for (const { 0: whole, index: start, groups } of likely.flatMap(pattern => [...text.matchAll(pattern)]))
    if (groups?.behind || announced.test(text.slice(Math.max(0, start - NEAR), start)))
      yield { kind: 'address', start, end: start + whole.length }
}

const NEAR = 80
/** “I live at”, “ship it to”: what follows is an address, whatever it looks like. */
const announced =
  /(?<!\p{L})(?:address|adresse|anschrift|wohn(?:e|en|t|haft)|(?:lives?|living|lived|resid(?:e|ing)) (?:at|in|on)|(?:moved?|ship(?:ped|ping)?|sen[dt]|deliver(?:y|ed)?|post(?:ed)?|mail(?:ed)?|went|brought)(?: [\p{L}’']{1,12}){0,4} to|(?:liefer(?:ung|n|t|e)?|zustell(?:ung|en)|schick(?:en|t|e)?|send(?:en|et|ung|e)?|versand|bitte)(?: \p{L}{1,12}){0,3} (?:an|nach|zu[mr]?)|habit(?:e|ons|ez)|domicilié|livre[rz]?|livraison|envoye[rz]|expédie[rz])(?!\p{L})(?: [\p{L}’']{1,12}){0,3}[ :,]{0,3}\n{0,2}$/iu

const capital = "\\p{Lu}[\\p{L}\\p{M}’'-]{0,30}"
const gap = '(?:,[ \\n]?|[ \\n])'

/** The areas that a British postcode begins with (Royal Mail, Postcode Address File). */
const areas =
  'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE'
/** In its last two letters six never stand. */
const british = `(?:${areas.replaceAll(' ', '|')})\\d[A-Z\\d]? \\d(?!GB|TB)[ABD-HJLNP-UW-Z]{2}(?![\\p{L}\\p{N}])`

const states =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'
const american = `(?:${states.replaceAll(' ', '|')}) \\d{5}(?:-\\d{4})?(?![\\p{L}\\p{N}])`

const town = `${capital}(?: ${capital}){0,2}`
const flat = `(?:${gap}(?:Apt|Apartment|Flat|Suite|Unit|Ste)\\.? ?[\\p{L}\\p{N}]{1,5}|${gap}# ?\\d{1,5})?`
const side = '(?![\\p{L}\\p{N}])\\.?(?: (?:[NS][EW]?|[EW])(?![\\p{L}\\p{N}]))?'
const english = `(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Boulevard|Blvd|Terrace|Ter|Gardens|Gdns|Crescent|Cres|Parkway|Pkwy|Highway|Hwy|Mews)${side}`
/** Those that goods and pages are called too: “2 Hard Drive”. */
const likelyEnglish = `(?:Drive|Dr|Court|Ct|Square|Sq|Place|Pl|Way|Close|Row|Hill|Grove|Walk)${side}`
const house = `\\d{1,5}[A-Za-z]?(?:[-/]\\d{1,4})? (?:${capital} ){1,3}`
const city = `(?:${gap}(?:${town}${gap})?(?:${british}|${american}))?`

const german = '(?:straße|strasse|str\\.|allee|gasse|ufer|damm|chaussee)'
/** Those that other things end in: “Speicherplatz 500 GB”. */
const likelyGerman = '(?:weg|platz|ring|markt)'
const number = ' ?\\d{1,4} ?[a-z]?(?![\\p{L}\\p{N}])'
const months =
  'Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch'
/** Five digits and a town, behind a street. */
const continental = `(?:${gap}(?:D-|F-)?\\d{5} ${capital}(?: (?:am|an der|im|sur) ${capital})?)?`

const dutch = `(?:${gap}\\d{4} ?[A-Z]{2} ${capital}(?: ${capital})?)?`

const french = 'rue|avenue|av\\.|boulevard|bd\\.?|chemin|impasse|allée|quai'
/** A seat, a course. */
const likelyFrench = 'place|cours|route|square'
const inFrench = (street: string) =>
  `\\d{1,4}(?: (?:bis|ter|quater))?,? ${anyCase(street)}(?: (?:de la|du|des|de|la|le|les)| de l[’']| d[’'])? ?${capital}(?: ${capital}){0,3}`

const patternsOf = (forms: readonly string[]) => forms.map(form => new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${form}`, 'gu'))

const sure = patternsOf([
  `${house}${english}${flat}${city}`,
  `${town}, ${american}`,
  british,
  `(?:${capital}[ -])?\\p{Lu}[\\p{Ll}\\p{M}-]{0,40}${german}${number}${continental}`,
  `(?:${capital} ){1,2}(?:Straße|Str\\.|Allee)${number}${continental}`,
  `${inFrench(french)}${continental}`,
  `(?:Calle|C/|Avenida|Avda\\.|Plaza|Paseo)(?: de(?: la| los)?)? ?${capital}(?: ${capital})?,? ?\\d{1,4}${continental}`,
  `\\p{Lu}[\\p{Ll}\\p{M}-]{1,40}(?:straat|laan|gracht|kade|plein)${number}${dutch}`,
  '(?:P\\.? ?O\\.? ?Box|Postfach|BP|Boîte postale) \\d{1,7}',
])

/** Addresses where a town stands behind them or words before them that say so: else “Im Paket 2” is one. */
const likely = patternsOf([
  `${house}${likelyEnglish}(?<behind>${flat}${city})`,
  `(?:${capital}[ -])?\\p{Lu}[\\p{Ll}\\p{M}-]{0,40}${likelyGerman}${number}(?<behind>${continental})`,
  `(?:${capital} ){1,2}(?:Platz|Weg)${number}(?<behind>${continental})`,
  `(?:Am|An der|Im|In der|Zum|Zur|Unter den|Auf dem) (?!${months})${capital}(?: ${capital})? \\d{1,3}[a-z]?(?![\\p{L}\\p{N}])(?<behind>${continental})`,
  `${inFrench(likelyFrench)}(?<behind>${continental})`,
  `(?:Via|Viale|Piazza|Corso) ${capital}(?: ${capital}){0,2},? \\d{1,4}(?<behind>${continental})`,
])
