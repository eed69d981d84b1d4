/** Names of months and weekdays as spreadsheets write them: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Scandinavian. */

const NAMES = [
  'jan january januar jänner janvier janv enero ene gennaio gen januari janeiro styczeń stycznia sty',
  'feb february februar février févr fév febrero febbraio februari fevereiro fev luty lutego lut',
  'mar march märz mär mrz mars marzo maart mrt março marts marzec marca',
  'apr april avril avr abril abr aprile kwiecień kwietnia kwi',
  'may mai mayo maggio mag mei maio maj maja',
  'jun june juni juin junio giugno giu junho czerwiec czerwca cze',
  'jul july juli juillet juil julio luglio lug julho lipiec lipca lip',
  'aug august août agosto ago augustus augusti sierpień sierpnia sie',
  'sep sept september septembre septiembre setiembre settembre set setembro wrzesień września wrz',
  'oct october oktober okt octobre octubre ottobre ott outubro out październik października paź',
  'nov november novembre noviembre novembro listopad listopada lis',
  'dec december dezember dez décembre déc diciembre dic dicembre dezembro desember des grudzień grudnia gru',
]
const MONTHS = new Map(NAMES.flatMap((names, i) => names.split(' ').map(name => [plain(name), i + 1] as const)))

/** 1 to 12, whatever the capitals and accents. */
export const monthNamed = (name: string): number | undefined => MONTHS.get(plain(name))

/** Short names that are words or codes elsewhere: `Set-10`, `Gen 12`, `OUT-3`. */
const AMBIGUOUS = new Set(
  'gen ene sty lut kwi mag mei maj cze giu lug lip ago sie set wrz out ott paz lis dic des gru'.split(' '),
)

/** Whether all are a month and a year, of one and the same name that may be something else. */
export function isOneWord(texts: readonly string[]): boolean {
  const words = new Set(
    texts.map(text => /^\s*(\p{L}{3})[.\- /]{0,2}'?\d{2,4}\s*$/u.exec(text)?.[1]?.toLowerCase() ?? ''),
  )
  const [word = ''] = words
  return words.size === 1 && AMBIGUOUS.has(word)
}

function plain(name: string): string {
  return name.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')
}

const WEEKDAY =
  /^(?:mon|tues?|wed|thur?s?|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)[.,]{0,2} (?=\d|\p{L}+ \d)/iu

/** Without the weekday in front. */
export const withoutWeekday = (text: string) => text.replace(WEEKDAY, '')
