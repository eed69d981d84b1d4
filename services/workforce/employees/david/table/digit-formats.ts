/** Number formats of spreadsheets that show codes: `00000`, `[$-407]00000`, `000\-00\-0000`, `\D\-00000`, `[<=99999]00000;00000\-0000`. */

/** A number as its format shows it, undefined where it shows no code. Whole numbers from 0 on. */
export type DigitFormat = (value: number) => string | undefined

/** Excel's are at most 255 characters, each of which may be written as `&quot;`. */
export const MOST_CODE = 2_000

/** Undefined for other formats. `code` is as it is written in XML. ECMA-376, part 1, section 18.8.31. Takes linear time. */
export function digitFormat(code: string): DigitFormat | undefined {
  const sections = sectionsOf(plain(code.slice(0, MOST_CODE)))
  if (!sections.some(({ shape }) => isCode(shape))) return undefined
  return value => {
    const found = sections.find(({ most }) => value <= most)
    return found && isCode(found.shape) ? filled(found.shape, String(value)) : undefined
  }
}

interface Section {
  /** The largest number that it is for. */
  readonly most: number
  /** Each `0` is a digit, all else is shown as it is; `?` for what shows no code. */
  readonly shape: string
}

const plain = (code: string) =>
  code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const SIGNS = /\\(?<escaped>.)|"(?<quoted>[^"]*)"|(?<width>[_*].)|\[(?<bracket>[^[\]]*)\]|(?<end>;)|(?<sign>[\s\S])/g

/** Those without a condition are for what is above zero, below it, zero, and for texts. */
function sectionsOf(code: string): readonly Section[] {
  const sections: Section[] = []
  let [shape, most] = ['', Infinity]
  for (const { groups = {} } of code.matchAll(SIGNS)) {
    const { escaped, quoted, bracket, end, sign } = groups
    const limit = /^<=(\d{1,15})$/.exec(bracket ?? '')?.[1]
    if (limit !== undefined) most = Number(limit)
    // A locale or a colour; else a length of time or another condition.
    else if (bracket !== undefined)
      shape += /^(?:\$-[\dA-F]+|black|blue|cyan|green|magenta|red|white|yellow)$/i.test(bracket) ? '' : '?'
    else if (end !== undefined) {
      sections.push({ most, shape })
      ;[shape, most] = ['', Infinity]
    } else if (sign !== undefined) shape += /[0\-: ]/.test(sign) ? sign : '?'
    else shape += (escaped ?? quoted ?? '').replaceAll('0', '?')
  }
  return [...sections, { most, shape }]
}

/** Letters stand before a code, units behind a number. Fewer than four digits are of hours and months. */
const isCode = (shape: string) =>
  /^ *(?:[A-Za-z]{1,12}-)?0[0 \-:./]*0 *$/.test(shape) && /^(?:[^0]*0){4,15}[^0]*$/.test(shape)

/** More digits than the format has stand before its others. */
function filled(shape: string, digits: string): string {
  const [before = '', ...behind] = shape.trim().split('0')
  const padded = digits.padStart(behind.length, '0')
  const more = padded.length - behind.length
  return before + padded.slice(0, more) + behind.map((part, at) => `${padded[more + at]}${part}`).join('')
}
