/** What tasks promise about the files that they take and give, on whatever stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { metadataOf } from '@millhand/api'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { refusal } from './files/files.fixture.ts'
import { givenTaskFiles, type OpenedDatabase, RETENTION_MS } from './task-files.fixture.ts'

const HOUR_MS = 3_600_000
const done = { case: 'output', value: '"done"' } as const
const inFile = (value: string) => ({ case: 'outputFile', value }) as const

export function describeTaskFiles(name: string, open: () => Promise<OpenedDatabase>): void {
  describe(`the files of tasks on ${name}`, () => {
    const given = givenTaskFiles(open)

    /** A task that is running, of a file or of text. */
    async function started(inputFile?: string) {
      const { id } = await given.create(inputFile === undefined ? { input: 'a' } : { inputFile })
      return { id, lease: await given.claim() }
    }

    it('go to whoever runs the task, and to nobody else', async () => {
      const file = await given.upload('what it is about')
      const task = await given.create({ inputFile: file })
      assert.deepEqual([task.inputFile, task.input], [file, undefined])
      const lease = await given.claim()
      assert.deepEqual([lease.workId, lease.input, lease.inputFileBytes], [task.id, '', 16])
      assert.equal(await given.readInput(lease), 'what it is about')
      for (const other of [
        { ...lease, id: 'another' },
        { ...lease, attempt: 2 },
        { ...lease, tenant: 'acct_other/live' },
      ]) {
        assert.equal(await refusal(given.readInput(other)), 'conflict')
        assert.equal(await refusal(given.storeOutput(other, '1')), 'conflict')
      }
      assert.equal(await given.finish(lease, done), true)
      assert.equal(await refusal(given.readInput(lease)), 'conflict')
      assert.equal((await given.get(task.id)).inputFile, file)
    })

    it('are refused as input where they can be none', async () => {
      const [foreign, model, empty, binary] = await Promise.all([
        given.upload('theirs', {}, given.stranger),
        given.upload('a model', { purpose: FilePurpose.MODEL }),
        given.upload(''),
        given.upload('\0'),
      ])
      for (const [what, request, code] of [
        ['none', { inputFile: 'file_none' }, 'invalid_parameter'],
        ['another account’s', { inputFile: foreign }, 'invalid_parameter'],
        ['a model', { inputFile: model }, 'invalid_parameter'],
        ['an empty one', { inputFile: empty }, 'model_input_invalid'],
        ['with text beside it', { inputFile: binary, input: 'a' }, 'invalid_parameter'],
        ['neither file nor text', {}, 'missing_parameter'],
      ] as const) {
        assert.equal(await refusal(given.create(request)), code, what)
      }
    })

    it('stay while their task is alive, also beyond their expiry', async () => {
      const file = await given.upload('kept', { expiresAfterS: 60 })
      const { id } = await given.create({ inputFile: file })
      const error = await given.files.deleteFile({ id: file }, given.caller).catch((error: unknown) => error)
      assert.equal(await refusal(Promise.reject(error)), 'invalid_state')
      assert.equal(metadataOf(error).task, id)
      assert.match(String(error), /is the input of the task/)
      await given.clock.advance(HOUR_MS)
      await given.sweep()
      assert.equal(await given.content(file), undefined)
      const lease = await given.claim()
      assert.equal(await given.readInput(lease), 'kept')
      assert.equal(await given.finish(lease, done), true)
      await given.sweep()
      await given.files.deleteFile({ id: file }, given.caller)
      const later = await given.create({ input: 'a' })
      assert.equal(await refusal(given.readInput({ ...(await given.claim()), workId: id })), 'conflict')
      await given.compute.cancelTask({ id: later.id }, given.caller)
      await given.clock.advance(11_000)
    })

    it('that are gone all the same are told to be', async () => {
      const file = await given.upload('going')
      const { id, lease } = await started(file)
      await given.finish(lease, done)
      await given.files.deleteFile({ id: file }, given.caller)
      assert.equal((await given.get(id)).inputFile, file)
      assert.equal(await refusal(given.create({ inputFile: file })), 'invalid_parameter')
    })

    it('that are outputs are named by their task, and last as long as its data', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '{"a":', '1}')
      assert.equal(await given.finish(lease, inFile(file)), true)
      const task = await given.get(id)
      assert.deepEqual([task.status, task.outputFile, task.output], [TaskStatus.SUCCEEDED, file, undefined])
      const { purpose, filename, mediaType, expiresAt } = await given.files.getFile({ id: file }, given.caller)
      assert.deepEqual([purpose, filename, mediaType], [FilePurpose.OUTPUT, `${id}.json`, 'application/json'])
      assert.deepEqual(expiresAt, task.dataExpiresAt)
      await given.clock.advance(2 * HOUR_MS)
      await given.sweep()
      assert.equal(await given.content(file), '{"a":1}')
      assert.equal(await given.content(file, given.stranger), undefined)
      await given.clock.advance(RETENTION_MS - 2 * HOUR_MS)
      assert.equal(await given.content(file), undefined)
      await given.sweep()
      assert.equal(await refusal(given.files.getFile({ id: file }, given.caller)), 'not_found')
    })

    it('that no result names go after an hour', async () => {
      const { lease } = await started()
      const file = await given.storeOutput(lease, '1')
      await given.finish(lease, done)
      await given.clock.advance(HOUR_MS)
      await given.sweep()
      assert.equal(await given.content(file), undefined)
    })

    it('of another run, task or account are no output, and stay as they are', async () => {
      const own = await given.upload('own')
      const foreign = await given.upload('foreign', {}, given.stranger)
      const first = await started()
      const stored = await given.storeOutput(first.lease, '1')
      for (const file of [own, foreign, stored, 'file_00000000000000000000000000']) {
        const { id, lease } = await started()
        assert.equal(await given.finish(lease, inFile(file)), true)
        const task = await given.get(id)
        assert.deepEqual([task.status, task.outputFile], [TaskStatus.QUEUED, undefined])
        await given.compute.cancelTask({ id }, given.caller)
      }
      assert.deepEqual([await given.content(own), await given.content(foreign, given.stranger)], ['own', 'foreign'])
      assert.equal(await given.finish(first.lease, inFile(stored)), true)
      assert.equal((await given.get(first.id)).outputFile, stored)
    })

    it('of a result that comes twice stay, and of one that is refused go', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '1')
      assert.deepEqual(
        [await given.finish(lease, inFile(file)), await given.finish(lease, inFile(file))],
        [true, false],
      )
      assert.deepEqual([(await given.get(id)).outputFile, await given.content(file)], [file, '1'])

      const cancelled = await started()
      const unwanted = await given.storeOutput(cancelled.lease, '2')
      await given.compute.cancelTask({ id: cancelled.id }, given.caller)
      assert.equal(await given.finish(cancelled.lease, inFile(unwanted)), true)
      const { status, outputFile } = await given.get(cancelled.id)
      assert.deepEqual(
        [status, outputFile, await given.content(unwanted)],
        [TaskStatus.CANCELLED, undefined, undefined],
      )
    })

    it('that were kept for a result go where who took it died before the task named them', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '1')
      given.failNextWrite()
      assert.equal(await refusal(given.finish(lease, inFile(file))), 'internal')
      assert.equal(await given.content(file), '1') // The same result may come again.
      await given.finish(lease, { case: 'evicted', value: true })
      const again = await given.claim()
      const next = await given.storeOutput(again, '2')
      assert.equal(await given.finish(again, inFile(next)), true)
      await given.clock.advance(11_000)
      const deadline = performance.now() + 300_000
      while ((await given.content(file)) !== undefined && performance.now() < deadline) await pause(20)
      assert.deepEqual([await given.content(file), await given.content(next)], [undefined, '2'])
      assert.equal((await given.get(id)).outputFile, next)
    })

    it('that are outputs go with their task’s data, however often that is asked for', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '1')
      await given.finish(lease, inFile(file))
      await given.files.deleteFile({ id: file }, given.caller) // Whoever removed it died before it told the task.
      for (const _ of [1, 2]) {
        const task = await given.compute.deleteTaskData({ id }, given.caller)
        assert.deepEqual([task.outputFile, task.status], [undefined, TaskStatus.SUCCEEDED])
      }
      assert.equal(await given.content(file), undefined)
    })

    it('that are outputs stay where the data was to go while the result came, and go with it later', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '1')
      given.afterGet(() => given.finish(lease, inFile(file)))
      assert.equal(await refusal(given.compute.deleteTaskData({ id }, given.caller)), 'invalid_state')
      assert.deepEqual([(await given.get(id)).outputFile, await given.content(file)], [file, '1'])
      await given.compute.deleteTaskData({ id }, given.caller)
      assert.deepEqual([(await given.get(id)).outputFile, await given.content(file)], [undefined, undefined])
    })

    it('that are outputs can be inputs, and are kept for that', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, 'in turn')
      await given.finish(lease, inFile(file))
      const next = await started(file)
      assert.equal(await refusal(given.compute.deleteTaskData({ id }, given.caller)), 'invalid_state')
      assert.equal((await given.get(id)).outputFile, file)
      assert.equal(await given.readInput(next.lease), 'in turn')
      await given.finish(next.lease, done)
      await given.compute.deleteTaskData({ id }, given.caller)
      assert.equal(await given.content(file), undefined)
    })

    it('that are outputs count in the account’s quota', async () => {
      const [first, second] = [await started(), await started()]
      const half = 'x'.repeat(600_000)
      await given.storeOutput(first.lease, half)
      assert.equal(await refusal(given.storeOutput(second.lease, half.toUpperCase())), 'storage_quota_exceeded')
      for (const { lease } of [first, second]) await given.finish(lease, done)
    })

    it('that are stored again, because the answer was lost, are there once', async () => {
      const { id, lease } = await started()
      const parts = ['x'.repeat(300_000), 'y'.repeat(300_000)]
      const file = await given.storeOutput(lease, ...parts)
      assert.equal(await given.storeOutput(lease, ...parts), file)
      const { data } = await given.files.listFiles({}, given.caller)
      assert.deepEqual(
        data.map(each => each.id),
        [file],
      )
      assert.equal(await given.finish(lease, inFile(file)), true)
      assert.deepEqual([(await given.get(id)).outputFile, await given.content(file)], [file, parts.join('')])
    })

    it('that are outputs are stored anew by the next run, and where they are gone', async () => {
      const { lease } = await started()
      const file = await given.storeOutput(lease, '1')
      await given.finish(lease, { case: 'evicted', value: true })
      const again = await given.claim()
      const next = await given.storeOutput(again, '2')
      assert.deepEqual([await given.content(file), await given.content(next)], ['1', '2'])
      await given.files.deleteFile({ id: next }, given.caller)
      assert.equal(await given.content(await given.storeOutput(again, '3')), '3')
      await given.finish(again, done)
    })

    it('that are stored begin with the run that they are of', async () => {
      const { lease } = await started()
      const data = { part: { case: 'data' as const, value: Buffer.from('1') } }
      const run = { part: { case: 'run' as const, value: given.run(lease) } }
      for (const parts of [[], [data], [run, data, run]]) {
        const code = await refusal(given.leases.storeOutput(each(parts)))
        assert.ok(['missing_parameter', 'invalid_parameter'].includes(code), code)
      }
      await given.finish(lease, done)
    })

    it('that are outputs end with the task at the very same time', async () => {
      const { id, lease } = await started()
      const file = await given.storeOutput(lease, '1')
      await given.finish(lease, inFile(file))
      const { dataExpiresAt } = await given.get(id)
      assert.ok(dataExpiresAt)
      assert.equal(timestampMs(dataExpiresAt), given.clock.now() + RETENTION_MS)
    })
  })
}

async function* each<T>(parts: readonly T[]) {
  yield* parts
}
