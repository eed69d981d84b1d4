import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digitTimes } from './digit-times.ts'
import { readNumbers } from './numbers.ts'

for (const [name, cells] of [
  ['sales per day', ['21000', '25000', '30000']],
  ['response time', ['21000', '20500', '33000']],
  ['usd_cny', ['7.1901', '7.1985', '7.2012', '7.2040', '7.1950', '7.2003']],
  ['order', ['200145', '200101', '200177', '200112', '200131', '200150']],
] as const)
  test(`a measure or a number called ${name} holds no times`, () => {
    assert.equal(digitTimes(name, cells), undefined)
  })

for (const [name, cells, first] of [
  ['posting date', ['45000', '45001', '45002'], '2023-03-15'],
  ['Buchungsdatum', ['45000', '45001', '45002'], '2023-03-15'],
  ['month', ['01.2026', '02.2026'], '2026-01-01'],
  ['p', ['202601', '202602', '202603', '202604', '202605', '202606'], '2026-01-01'],
  ['created_at', ['1767225600', '1767312000'], '2026-01-01'],
] as const)
  test(`numbers called ${name} are times`, () => {
    const at = digitTimes(name, cells)?.read(cells[0], 'day first')?.at
    assert.equal(at === undefined ? undefined : new Date(at).toISOString().slice(0, 10), first)
  })

test('a number that is too long to be exact makes a column of ids, however late it comes', () => {
  const short = Array.from({ length: 300 }, (_, at) => String(at))
  assert.ok(readNumbers('reference', short, {}))
  assert.equal(readNumbers('reference', [...short, '12345678901234567'], {}), undefined)
})
