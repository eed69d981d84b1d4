/** The copies of accounts' models on an executor's disk. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs, { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Lease, LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { ModelCopies, type ModelCopiesOptions, ModelDamaged } from './model-copies.ts'

const BYTES = 100

/** What the model of a name holds. */
const contentOf = (name: string) => Buffer.alloc(BYTES, name)

const leasedModel = (name: string): LeasedModel => ({
  $typeName: 'millhand.lease.v1.LeasedModel',
  digest: `sha256:${createHash('sha256').update(contentOf(name)).digest('hex')}`,
  bytes: BYTES,
  manifest: '',
})

const leaseOf = (name: string, tenant: string): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: `lease_${name}`,
  tenant,
  workId: name,
  attempt: 1,
  input: '',
  files: [],
})

type Read = (name: string) => AsyncIterable<{ data: Uint8Array }>

async function* whole(name: string) {
  yield { data: contentOf(name).subarray(0, 30) }
  yield { data: contentOf(name).subarray(30) }
}

/** Copies with room for so many models; what compute says to whoever reads one can be changed. */
function copiesFor(t: TestContext, models: number) {
  const reads: string[] = []
  const script: { read: Read } = { read: whole }
  const readModel = ({ run }: { run: { workId: string } }) => {
    reads.push(run.workId)
    return script.read(run.workId)
  }
  const copies = new ModelCopies({
    leases: { readModel } as unknown as ModelCopiesOptions['leases'],
    mostBytes: models * BYTES,
    clock: manualClock(),
    log: createLog({ level: 'error' }),
  })
  t.after(() => copies.close())
  const { signal } = new AbortController()
  const hold = (name: string, tenant = 'acct_a/live') => copies.hold(leasedModel(name), leaseOf(name, tenant), signal)
  const pathOf = (name: string, tenant = 'acct_a/live') => copies.pathOf(leasedModel(name), tenant)
  return {
    copies,
    reads,
    hold,
    pathOf,
    /** Of these models, those that are on the disk. */
    there: (...names: string[]) => names.filter(name => existsSync(pathOf(name))).join(''),
    /** Holds each for a moment. */
    use: async (...names: string[]) => {
      for (const name of names) (await hold(name))()
    },
    answer: (read: Read) => {
      script.read = read
    },
    folder: () => dirname(pathOf('a')),
  }
}

test('what no run holds goes when there is no more room, the least recently used first', async t => {
  const { use, there, reads } = copiesFor(t, 3)
  await use('a', 'b', 'c', 'a', 'd')
  assert.equal(there('a', 'b', 'c', 'd'), 'acd')
  await use('e')
  assert.equal(there('a', 'c', 'd', 'e'), 'ade')
  assert.equal(reads.join(''), 'abcde')
  await use('b')
  assert.equal(reads.join(''), 'abcdeb')
})

test('what a run holds stays, however much that is, until the last of those that hold it lets go', async t => {
  const { hold, use, there } = copiesFor(t, 1)
  const [first, second, other] = [await hold('a'), await hold('a'), await hold('b')]
  assert.equal(there('a', 'b'), 'ab')
  first()
  first()
  await use('c', 'd')
  assert.equal(there('a', 'b', 'c', 'd'), 'abd')
  second()
  other()
  await use('e')
  assert.equal(there('a', 'b', 'c', 'd', 'e'), 'e')
})

test('two runs that need a model at once read it once', async t => {
  const { hold, reads, pathOf } = copiesFor(t, 3)
  const releases = await Promise.all([hold('a'), hold('a'), hold('b'), hold('a')])
  assert.equal(reads.toSorted().join(''), 'ab')
  assert.deepEqual(readFileSync(pathOf('a')), contentOf('a'))
  for (const release of releases) release()
})

test('each tenant has a copy of its own', async t => {
  const { hold, reads, pathOf } = copiesFor(t, 3)
  for (const tenant of ['acct_a/live', 'acct_b/live', 'acct_a/live']) (await hold('a', tenant))()
  assert.equal(reads.join(''), 'aa')
  assert.notEqual(pathOf('a', 'acct_a/live'), pathOf('a', 'acct_b/live'))
})

test('what is not what the lease says is not kept, and is read again', async t => {
  const { hold, use, answer, folder, reads } = copiesFor(t, 3)
  const wrong: Record<string, Read> = {
    'another content': () => whole('z'),
    'too little': async function* () {
      yield { data: contentOf('a').subarray(1) }
    },
    'too much': async function* () {
      yield { data: contentOf('a') }
      yield { data: contentOf('a') }
    },
    nothing: async function* () {},
  }
  for (const [what, read] of Object.entries(wrong)) {
    answer(read)
    await assert.rejects(hold('a'), ModelDamaged, what)
    assert.deepEqual(readdirSync(folder()), [], what)
  }
  answer(whole)
  await use('a')
  assert.equal(reads.length, 5)
})

test('a copy that is removed or cut off behind its back is read again, also with the whole folder', async t => {
  const { hold, use, pathOf, reads, folder } = copiesFor(t, 3)
  const release = await hold('a')
  for (const [name, damage] of Object.entries({
    removed: () => rmSync(pathOf('a')),
    'cut off': () => truncateSync(pathOf('a'), 1),
    'removed with its folder': () => rmSync(folder(), { recursive: true }),
  })) {
    damage()
    await use('a')
    assert.deepEqual(readFileSync(pathOf('a')), contentOf('a'), name)
  }
  assert.equal(reads.length, 4)
  release()
})

test('on a full disk what no run holds makes room', async t => {
  const { hold, use, there, reads, folder } = copiesFor(t, 10)
  const release = await hold('a')
  await use('b', 'c')
  fillDisk(folder(), 3)
  await use('d')
  assert.equal(there('a', 'b', 'c', 'd'), 'ad')
  assert.equal(reads.join(''), 'abcdd')
  release()
})

test('where the disk stays full the error is told, and nothing is left behind', async t => {
  const { hold, use, there, folder } = copiesFor(t, 10)
  const release = await hold('a')
  fillDisk(folder(), 1)
  fillDisk(folder(), 2)
  await assert.rejects(hold('b'), { code: 'ENOSPC' })
  assert.equal(there('a', 'b'), 'a')
  assert.equal(readdirSync(folder()).length, 1)
  await use('b')
  release()
})

test('a model whose reading is stopped is not kept, and the next who needs it gets it', async t => {
  const { copies, use, answer, there } = copiesFor(t, 3)
  const stopping = new AbortController()
  answer(async function* () {
    yield { data: contentOf('a') }
    stopping.abort(new Error('stopped'))
    throw new Error('cut off')
  })
  await assert.rejects(copies.hold(leasedModel('a'), leaseOf('a', 'acct_a/live'), stopping.signal))
  assert.equal(there('a'), '')
  answer(whole)
  await use('a')
  assert.equal(there('a'), 'a')
})

test('a copy that is wanted again while it is being removed is there when it is held', async t => {
  const { hold, pathOf } = copiesFor(t, 1)
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
  ;(await hold('a'))()
  const other = hold('b')
  await removing.promise
  const again = await hold('a')
  slow.resolve()
  await other
  assert.deepEqual(readFileSync(pathOf('a')), contentOf('a'))
  assert.deepEqual(readFileSync(pathOf('b')), contentOf('b'))
  again()
})

/** What is written to the file of the `nth` fetch finds no room. */
const fillDisk = (folder: string, nth: number) => symlinkSync('/dev/full', join(folder, `part-${nth}`))
