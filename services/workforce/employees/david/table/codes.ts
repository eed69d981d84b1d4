/** Whole numbers that name something: ids, post codes, account numbers. Nobody adds them up. */
import { shown } from './foreign-text.ts'
import { isDesignation } from './number.ts'
import type { Value } from './raw-table.ts'
import { isNothing } from './reading.ts'

/** Whether a header says that a column holds names in digits: `plz`, `order_id`, `orderId`, `Kundennummer`, `account number`. */
export function isCodeName(name: string): boolean {
  const words = name
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter(Boolean)
  const [last = '', before = ''] = words.toReversed()
  if (words.length === 2 && FIRST.has(before) && SECOND.has(last)) return true
  if (words.length === 1 && ALONE.has(last)) return true
  if (NUMBERS.has(last)) return NUMBERED.has(before)
  return CODES.has(last) || /(?:nr|nummer|leitzahl)$/.test(last)
}

const words = (text: string) => new Set(text.split(' '))
const CODES = words('id ids uuid code sku ean gtin isbn iban plz zip zipcode postcode postalcode phone tel telefon')
/** "konto", not "revenue per account" or "Neue Kunde". */
const ALONE = words('konto gegenkonto auftragskonto beleg kostenstelle kreditor debitor siren siret kunde blz account')
/** "id_client", "Code postal"; not "code coverage" or "N° clients", which are measures. */
const FIRST = words('id code n°')
const SECOND = words(
  'client postal produit article commande facture fournisseur insee cliente producto pedido factura customer product user order',
)
/** `1001.0` is how pandas writes ids among which one is missing, `4.00638E+12` how a spreadsheet cuts a long one. */
const WHOLE = /^\d+(?:\.0+|(?:\.\d+)?[eE]\+?\d+)?$/
const NUMBERS = words('number num no #')
const NUMBERED = words('account order invoice customer phone ticket serial item part')

/** What is said of a column of codes; undefined where it is none. */
export function codesSaid(name: string, values: readonly Value[]): string | undefined {
  if (
    /\bversion$/i.test(name) &&
    values.every(value => typeof value === 'string' && /^(?:\d+(?:\.\d+)*)?$/.test(value))
  )
    return `${shown(name)} is read as text.`
  if (!isCodeName(name)) return undefined
  let found = 0
  for (const value of values) {
    if (value === null || (typeof value === 'string' && isNothing(value))) continue
    const isWhole =
      typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && WHOLE.test(value.trim())
    // What no number can hold is text anyway.
    if (!isWhole || isDesignation(String(value))) return undefined
    found++
  }
  return found > 0 ? `${shown(name)} names things by numbers: it is read as text.` : undefined
}
