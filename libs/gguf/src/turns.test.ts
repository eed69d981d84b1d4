import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Turns } from './turns.ts'

it('gives so many at once their turn, and the others in their order', async () => {
  const turns = new Turns(2)
  const begun: number[] = []
  const waiting = [1, 2, 3, 4].map(async which => {
    await turns.take(undefined)
    begun.push(which)
  })
  await Promise.all(waiting.slice(0, 2))
  assert.deepEqual(begun, [1, 2])
  turns.release()
  await waiting[2]
  turns.release()
  await waiting[3]
  assert.deepEqual(begun, [1, 2, 3, 4])
})

it('has no turn for who does not want it any more', async () => {
  const turns = new Turns(1)
  await turns.take(undefined)
  const unwanted = new AbortController()
  const given = [turns.take(unwanted.signal), turns.take(undefined)]
  unwanted.abort(new Error('not wanted'))
  await assert.rejects(given[0] as Promise<void>, /not wanted/)
  turns.release()
  await given[1]
  await assert.rejects(turns.take(AbortSignal.abort(new Error('too late'))), /too late/)
  turns.release()
  await turns.take(undefined)
})
