import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepare } from './prepare.ts'

const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
const refused = new Error('an index of this name has other options')

/** Fails with one after another, then works. */
function preparing(errors: readonly Error[]) {
  const left = errors.values()
  let asked = 0
  const make = async () => {
    asked += 1
    const { value } = left.next()
    if (value) throw value
  }
  const clock = { sleep: async () => {} }
  const outcome = prepare({ name: 'items', make, clock, log: { warn: () => {} } }, AbortSignal.timeout(300_000))
  return outcome.then(
    () => asked,
    error => [asked, error],
  )
}

const times = (count: number, error: Error) => Array.from({ length: count }, () => error)

test('a server that is away is waited for, however often it is asked', async () => {
  assert.equal(await preparing(times(30, away)), 31)
})

test('the fifth refusal is the last, however often the server was away before', async () => {
  assert.equal(await preparing(times(4, refused)), 5)
  for (const passing of [0, 4, 5, 6])
    assert.deepEqual(await preparing([...times(passing, away), ...times(6, refused)]), [passing + 5, refused])
})

test('a signal that has ended ends it', async () => {
  const make = () => assert.fail('asked')
  const options = { name: 'items', make, clock: { sleep: async () => {} }, log: { warn: () => {} } }
  await assert.rejects(prepare(options, AbortSignal.abort(refused)), refused)
})
