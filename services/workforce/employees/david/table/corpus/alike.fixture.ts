/** Measures that are called like codes, rows that look like rules, headers or sums, and codes that look like periods. */
import { type Case, lines } from './case.fixture.ts'

const measures = (names: readonly string[]): Case => ({
  what: `measures called ${names.join(', ')}`,
  file: lines(
    names.join(';'),
    [17, 23].map(value => names.map(() => value).join(';')),
  ),
  columns: names.map(name => `${name} number: 17 | 23`),
})

export const alike: readonly Case[] = [
  measures(['new account', 'active account', 'savings account', 'revenue per account', 'orders per account']),
  measures(['Umsatz pro Kunde', 'Neue Kunde', 'code coverage', 'code_smells', 'code lines', 'code churn']),
  measures(['code review hours', 'id count', 'id_value', 'id_time_ms', 'id card holders', 'N° clients']),
]
