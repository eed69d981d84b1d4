import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, fail } from '@millhand/api'
import { manualClock } from '@millhand/process'
import type { Caller } from './caller.ts'
import { createRevocationWatch } from './stream-revocation.ts'

const caller = { accountId: 'acct_1', keyId: 'key_1' } as Caller

/** Watched callers, with what is found of each when it is looked at. */
function open() {
  const found: { now?: unknown; time?: unknown } = {}
  let looked = 0
  const clock = manualClock()
  const told = { at: 0 }
  const callers = createRevocationWatch({
    async current(of) {
      looked++
      if (found.now !== undefined) throw found.now
      return of
    },
    requireTime() {
      if (found.time !== undefined) throw found.time
    },
    currentAt: () => told.at,
    clock,
  })
  const ended: string[] = []
  const watch = (of = caller) => callers.watch(of, reason => ended.push(`${of.keyId} ${codeOf(reason)}`))
  const change = (...keyIds: string[]) =>
    callers.onChanged({ keyIds: new Set(keyIds), accountIds: new Set(), everything: false })
  return { callers, clock, told, found, ended, watch, change, looked: () => looked }
}

test('what changed before a caller was watched is found at the first look', async () => {
  const { callers, found, ended, watch } = open()
  found.now = fail('revoked_credentials', 'It was revoked.')
  watch()
  await callers.check()
  assert.deepEqual(ended, ['key_1 revoked_credentials'])
})

test('a caller is asked for again only where a change concerns it', async () => {
  const { callers, watch, change, looked } = open()
  watch()
  for (let n = 0; n < 3; n++) await callers.check()
  change('key_2')
  await callers.check()
  assert.equal(looked(), 1)
  change('key_1')
  await callers.check()
  assert.equal(looked(), 2)
})

test('while identity is away it is asked again, and a caller whose time is over is ended all the same', async () => {
  const { callers, found, ended, watch, looked } = open()
  watch()
  found.now = fail('unavailable', 'It is away.')
  await callers.check()
  await callers.check()
  assert.equal(looked(), 2)
  assert.deepEqual(ended, [])
  found.time = fail('expired_credentials', 'It has expired.')
  await callers.check()
  assert.deepEqual(ended, ['key_1 expired_credentials'])
})

test('a caller of which nothing is known for over 10 s is ended: it could not be asked for, or changes are not told', async () => {
  const { callers, clock, told, found, ended, watch, change } = open()
  watch()
  watch({ ...caller, keyId: 'key_2' })
  await callers.check()
  await clock.advance(20_000)
  told.at = 20_000
  await callers.check()
  change('key_2')
  found.now = fail('unavailable', 'It is away.')
  await clock.advance(5_000)
  told.at = 25_000
  await callers.check()
  await clock.advance(5_000)
  await callers.check()
  assert.deepEqual(ended, [])
  await clock.advance(1)
  await callers.check()
  assert.deepEqual(ended, ['key_2 unavailable'])
  await clock.advance(5_000)
  await callers.check()
  assert.deepEqual(ended, ['key_2 unavailable', 'key_1 unavailable'])
})

test('a change that comes while it is asked for is not lost', async () => {
  const { callers, watch, change, looked } = open()
  watch()
  const looking = callers.check()
  change('key_1')
  await looking
  await callers.check()
  assert.equal(looked(), 2)
})

test('a change that comes while two looks wait is not lost', async () => {
  const found: PromiseWithResolvers<Caller>[] = []
  const callers = createRevocationWatch({
    current() {
      const answer = Promise.withResolvers<Caller>()
      found.push(answer)
      return answer.promise
    },
    requireTime() {},
    currentAt: () => 0,
    clock: manualClock(),
  })
  callers.watch(caller, () => {})
  const looks = [callers.check(), callers.check()]
  callers.onChanged({ keyIds: new Set(['key_1']), accountIds: new Set(), everything: false })
  for (const { resolve } of found) resolve(caller)
  await Promise.all(looks)
  assert.equal(found.length, 2)
  void callers.check()
  assert.equal(found.length, 3)
})

test('who is no longer watched is not told, and nobody is told twice', async () => {
  const { callers, found, ended, watch } = open()
  watch()[Symbol.dispose]()
  const leaving = watch({ ...caller, keyId: 'key_2' })
  watch({ ...caller, keyId: 'key_3' })
  found.now = fail('revoked_credentials', 'It was revoked.')
  const looks = [callers.check(), callers.check()]
  leaving[Symbol.dispose]()
  await Promise.all(looks)
  assert.deepEqual(ended, ['key_3 revoked_credentials'])
})
