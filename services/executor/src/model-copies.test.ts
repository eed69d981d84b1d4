/** Copies of models: which are kept, and that a run has its own while others come and go. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs, { existsSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import type { Lease, LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { systemClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { ModelCopies } from './model-copies.ts'

const lease = (model: string) => ({ id: 'lease', tenant: 'acct_a/live', workId: model, attempt: 1 }) as Lease

function modelOf(content: string): LeasedModel {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  return { $typeName: 'millhand.lease.v1.LeasedModel', digest, bytes: content.length, manifest: '' }
}

/** Copies of models whose content is the id of the work. */
function copiesOf(t: { after(end: () => void): void }, mostBytes: number) {
  const read: string[] = []
  const copies = new ModelCopies({
    leases: {
      async *readModel({ run }: { run?: { workId?: string } }) {
        const content = run?.workId ?? ''
        read.push(content)
        yield { data: Buffer.from(content) }
      },
    } as never,
    mostBytes,
    clock: systemClock,
    log: createLog({ level: 'error' }),
  })
  t.after(() => copies.close())
  const hold = (content: string) => copies.hold(modelOf(content), lease(content), new AbortController().signal)
  const pathOf = (content: string) => copies.pathOf(modelOf(content), 'acct_a/live')
  return { hold, pathOf, read }
}

test('the least recently used go first, and none that a run holds', async t => {
  const { hold, pathOf, read } = copiesOf(t, 8)
  const release = await hold('held')
  for (const content of ['aaaa', 'bbbb']) (await hold(content))()
  assert.deepEqual(
    ['held', 'aaaa', 'bbbb'].map(each => existsSync(pathOf(each))),
    [true, false, true],
  )
  release()
  ;(await hold('cccc'))()
  assert.deepEqual(
    ['held', 'bbbb', 'cccc'].map(each => existsSync(pathOf(each))),
    [false, true, true],
  )
  assert.deepEqual(read, ['held', 'aaaa', 'bbbb', 'cccc'])
})

test('a copy that is wanted again while it is being removed is there when it is held', async t => {
  const { hold, pathOf } = copiesOf(t, 4)
  const slow = Promise.withResolvers<void>()
  const removing = Promise.withResolvers<void>()
  const { rm } = fs.promises
  t.mock.method(fs.promises, 'rm', async (path: string, options: object) => {
    if (!path.includes('part-')) {
      removing.resolve()
      await slow.promise
    }
    await rm(path, options)
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  ;(await hold('aaaa'))()
  const other = hold('bbbb')
  await removing.promise
  const again = await hold('aaaa')
  slow.resolve()
  await other
  assert.equal(readFileSync(pathOf('aaaa'), 'utf8'), 'aaaa')
  assert.equal(readFileSync(pathOf('bbbb'), 'utf8'), 'bbbb')
  again()
})
