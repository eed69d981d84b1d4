import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Budgets, differences } from './by-status.ts'

const client = { calls: 10_000, failed: 3, timed: 9_000, cutShort: 2, slow: 20 }
const since = '2026-11-21T07:30:00.000Z'
const status = (answered: [number, number], fast: [number, number]): Budgets => ({
  answered: { target: 0.999, requests: answered[0], missed: answered[1], since },
  fast: { target: 0.99, requests: fast[0], missed: fast[1], since },
})

const table: [what: string, status: Budgets, differences: RegExp[]][] = [
  ['the same counts', status([10_000, 3], [9_000, 20]), []],
  ['fewer slow ones, for the way is not in the times of the server', status([10_000, 3], [9_000, 0]), []],
  ['a few more slow ones', status([10_000, 3], [9_000, 36]), []],
  ['a wait and a file that failed at once, and were timed', status([10_000, 3], [9_002, 20]), []],
  ['many more slow ones', status([10_000, 3], [9_000, 37]), [/^slow requests: the client counted 20, \/status 37$/]],
  [
    'one that was not counted',
    status([9_999, 3], [9_000, 20]),
    [/^requests: the client counted 10000, \/status 9999$/],
  ],
  ['one that was counted twice', status([10_001, 3], [9_000, 20]), [/^requests: /]],
  ['a failure that was forgotten', status([10_000, 2], [9_000, 20]), [/^answers of 500 or more: .* 3, \/status 2$/]],
  ['a wait that was timed', status([10_000, 3], [9_003, 20]), [/no waits, streams or files: .* 9000, \/status 9003$/]],
  ['one that was not timed', status([10_000, 3], [8_999, 20]), [/no waits, streams or files: .* 9000, \/status 8999$/]],
]
for (const [what, told, expected] of table)
  test(`the counts of the client and of /status: ${what}`, () => {
    const found = differences(client, told)
    assert.equal(found.length, expected.length, found.join('\n'))
    for (const [at, text] of expected.entries()) assert.match(found[at] ?? '', text)
  })
