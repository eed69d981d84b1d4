/** Postal addresses as they are written in Britain and the United States, in Germany and in France. */
import type { Found } from './found.ts'

export function* addresses(text: string): Iterable<Found> {
  for (const pattern of patterns)
    for (const { 0: whole, index: start } of text.matchAll(pattern))
      yield { kind: 'address', start, end: start + whole.length }
}

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
const english = `(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Terrace|Ter|Place|Pl|Way|Gardens|Gdns|Close|Crescent|Cres|Parkway|Pkwy|Highway|Hwy|Row|Mews|Hill|Grove|Walk)(?![\\p{L}\\p{N}])\\.?(?: (?:[NS][EW]?|[EW])(?![\\p{L}\\p{N}]))?`

const german = '(?:straße|strasse|str\\.|weg|allee|gasse|platz|ring|ufer|damm|chaussee|markt)'
const months =
  'Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch'
/** Five digits and a town, behind a street. */
const continental = `(?:${gap}(?:D-|F-)?\\d{5} ${capital}(?: (?:am|an der|im|sur) ${capital})?)?`

const french =
  "(?i:rue|avenue|av\\.|boulevard|bd\\.?|place|chemin|impasse|allée|quai|cours|route|square)(?: (?:de la|du|des|de|la|le|les)| de l[’']| d[’'])?"

const patterns = [
  `\\d{1,5}[A-Za-z]?(?:[-/]\\d{1,4})? (?:${capital} ){1,3}${english}${flat}(?:${gap}(?:${town}${gap})?(?:${british}|${american}))?`,
  `${town}, ${american}`,
  british,
  `(?:${capital}[ -])?\\p{Lu}[\\p{Ll}\\p{M}-]{0,40}${german} ?\\d{1,4} ?[a-z]?(?![\\p{L}\\p{N}])${continental}`,
  `(?:${capital} ){1,2}(?:Straße|Str\\.|Allee|Platz|Weg) \\d{1,4} ?[a-z]?(?![\\p{L}\\p{N}])${continental}`,
  `(?:Am|An der|Im|In der|Zum|Zur|Unter den|Auf dem) (?!${months})${capital}(?: ${capital})? \\d{1,3}[a-z]?(?![\\p{L}\\p{N}])${continental}`,
  `\\d{1,4}(?: (?:bis|ter|quater))?,? ${french} ?${capital}(?: ${capital}){0,3}${continental}`,
  '(?:P\\.? ?O\\.? ?Box|Postfach|BP|Boîte postale) \\d{1,7}',
].map(pattern => new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${pattern}`, 'gu'))
