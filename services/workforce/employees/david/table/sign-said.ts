/** What is said of a column that tells debits from credits, or currencies: the amounts beside it show neither. */
import { shown } from './foreign-text.ts'
import type { RawTable } from './raw-table.ts'

/** Letters that mean anything elsewhere count only in a column that is called so. */
const PAIRS = [
  's h',
  'd c',
  'dr cr',
  'dbit crdt',
  'af bij',
  'soll haben',
  'debit credit',
  'débit crédit',
  'belastung gutschrift',
  'lastschrift gutschrift',
  '- +',
]
const NAMED = /soll|haben|kennzeichen|vorzeichen|sign|debit|credit|dr.?cr|indicator|^(?:s\/h|d\/c|shkz|type|art)$/i
const SAMPLE = 200

export function signSaid(names: RawTable['names'], columns: RawTable['columns']): readonly string[] {
  return columns.flatMap((column, at) => {
    const name = names[at] ?? ''
    if (CURRENCY.test(name.trim())) return currenciesSaid(name, column)
    const found = new Set<string>()
    for (const cell of column.slice(0, SAMPLE)) {
      if (cell === null || cell === '') continue
      if (typeof cell !== 'string' || cell.length > 8 || found.size > 2) return []
      found.add(cell.trim())
    }
    const pair = PAIRS.find(words =>
      words.split(' ').every(word => [...found].some(cell => cell.toLowerCase() === word)),
    )
    if (found.size !== 2 || pair === undefined || (pair.length < 4 && !NAMED.test(name))) return []
    const [one = '', other = ''] = found
    return [
      `${shown(name)} has ${shown(one)} and ${shown(other)}. If they tell debits from credits: the numbers beside them are read without that sign.`,
    ]
  })
}

const CURRENCY = /^(?:currency(?:[ _]code)?|ccy|währung|waehrung|devise|moneda|wkz.{0,20})$/i

function currenciesSaid(name: string, column: RawTable['columns'][number]): readonly string[] {
  const codes = new Set(column.filter(cell => typeof cell === 'string' && /^[A-Z]{3}$/.test(cell.trim())))
  const [one, other] = codes
  return typeof one === 'string' && typeof other === 'string'
    ? [`${shown(name)} has ${shown(one)} and ${shown(other)}: the amounts beside them are not converted.`]
    : []
}
