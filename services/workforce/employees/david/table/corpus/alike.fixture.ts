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
  {
    what: 'cells of dashes for a value that is missing, beside others and alone',
    file: lines('comment,v', ['good,1', '---,', '---,2', '"-----","---"', 'bad,3']),
    columns: ['comment text: good | --- | --- | -----', 'v text: 1 | NaN | 2 | ---'],
    warned: [/"v" is taken for a text, as "---"/],
  },
  {
    what: 'cells of dashes in a table of one column',
    file: lines('comment', ['good', '------', 'bad']),
    columns: ['comment text: good | ------ | bad'],
  },
  {
    what: 'a line of dashes between rows with commas',
    file: lines('k,v', ['a,1', 'b,2', '-------', '---,---', 'c,3']),
    columns: ['k text: a | b | c', 'v number: 1 | 2 | 3'],
    warned: [/2 lines of dashes are left out, the first below row 2/],
  },
  {
    what: 'a list without a header whose first row comes again',
    file: lines('alice,bob', ['carol,dave', 'alice,bob']),
    columns: ['alice text: carol | alice', 'bob text: dave | bob'],
  },
  {
    what: 'a header that comes again among numbers',
    file: lines('k,v', ['a,1', 'k,v', 'b,2', 'k,v']),
    columns: ['k text: a | b', 'v number: 1 | 2'],
    warned: [/The header comes again in 2 rows, which are left out, the first below row 1/],
  },
]
