/** What tasks over JSON Lines promise about what their runs keep, on whatever stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { refusal } from './files/files.fixture.ts'
import { givenTaskFiles, type OpenedDatabase } from './task-files.fixture.ts'

const POOL = 'live/batch'
const LEASE_MS = 10_000

export function describeTaskLines(name: string, open: () => Promise<OpenedDatabase>): void {
  describe(`the lines of tasks on ${name}`, () => {
    const given = givenTaskFiles(open)

    /** A task over three lines that is running. */
    async function started(more: object = {}): Promise<{ readonly id: string; readonly lease: Lease }> {
      const { id } = await given.create({ type: TaskType.BATCH, input: '"a"\n"b"\n"c"', ...more })
      return { id, lease: await given.claim(POOL) }
    }

    /** Its executor is not heard of any more. */
    async function lost(id: string): Promise<void> {
      const { status } = await given.get(id)
      while ((await given.get(id)).status === status) {
        await given.clock.advance(LEASE_MS)
        await pause(1)
      }
    }

    /** Lets time pass until it is so. */
    async function becomes(isSo: () => Promise<boolean>): Promise<void> {
      while (!(await isSo())) {
        await given.clock.advance(1_000)
        await pause(1)
      }
    }

    const partsOf = ({ tenant, workId }: Lease) => given.blobsAt(`parts/${tenant}/${workId}/`)
    const result = (fileId: string) => ({ case: 'outputFile', value: fileId }) as const

    it('become one file in order, and the parts go', async () => {
      const { id, lease } = await started()
      assert.deepEqual([lease.input, lease.lines?.count, lease.lines?.failed], ['"a"\n"b"\n"c"', 0, 0])
      await given.storePart(lease, 0, '0', '1')
      await given.storePart(lease, 2, '2')
      assert.equal((await partsOf(lease)).length, 2)
      const file = await given.joinParts(lease)
      assert.equal(await given.finish(lease, result(file), { items: 3 }, POOL), true)
      const task = await given.get(id)
      assert.deepEqual([task.status, task.outputFile, task.usage?.items], [TaskStatus.SUCCEEDED, file, 3])
      assert.equal(await given.content(file), '0\n1\n2\n')
      await becomes(async () => (await partsOf(lease)).length === 0)
      assert.equal((await given.get(id)).outputFile, file)
    })

    it('that are none count as none', async () => {
      const { id, lease } = await started()
      const outcome = {
        case: 'failure',
        value: {
          $typeName: 'millhand.lease.v1.Failure',
          code: 'model_input_invalid',
          message: 'no line',
          retryable: false,
        },
      } as const
      assert.equal(await given.finish(lease, outcome, { items: 0 }, POOL), true)
      assert.equal((await given.get(id)).usage?.items, 0)
    })

    it('are not run again by the next attempt where they are kept', async () => {
      const { id, lease } = await started()
      await given.storePart(lease, 0, '0', '1')
      await lost(id)
      await becomes(async () => (await given.get(id)).status === TaskStatus.QUEUED)
      let again: Lease | undefined
      await becomes(async () => {
        again = await given.claimed(POOL)
        return again !== undefined
      })
      assert.deepEqual([again?.attempt, again?.lines?.count], [2, 2])
      await given.storePart(again as Lease, 2, 'two')
      const file = await given.joinParts(again as Lease)
      assert.equal(await given.content(file), '0\n1\ntwo\n')
      assert.equal(await given.finish(again as Lease, result(file), {}, POOL), true)
    })

    it('are kept once, without a gap, and from the live lease alone', async () => {
      const { lease } = await started()
      await given.storePart(lease, 0, '0')
      await given.storePart(lease, 0, '0')
      await given.storePart(lease, 1, '1')
      await given.storePart(lease, 0, '0')
      assert.equal(await refusal(given.storePart(lease, 3, '3')), 'conflict')
      assert.equal(await refusal(given.storePart({ ...lease, id: 'another' }, 2, '2')), 'conflict')
      assert.equal(await refusal(given.storePart({ ...lease, attempt: 2 }, 2, '2')), 'conflict')
      assert.equal(await refusal(given.joinParts({ ...lease, id: 'another' })), 'conflict')
      const file = await given.joinParts(lease)
      assert.equal(await given.content(file), '0\n1\n')
      assert.equal(await given.joinParts(lease), file)
      assert.equal(await given.finish(lease, result(file), {}, POOL), true)
    })

    it('that are done stay where the task is cancelled', async () => {
      const { id, lease } = await started()
      await given.storePart(lease, 0, '0')
      await given.compute.cancelTask({ id }, given.caller)
      await given.storePart(lease, 1, '1')
      const file = await given.joinParts(lease)
      const cancelled = { case: 'cancelled', value: true } as const
      assert.equal(await given.finish(lease, cancelled, { partialOutputFile: file, items: 2 }, POOL), true)
      const task = await given.get(id)
      assert.deepEqual([task.status, task.outputFile, task.usage?.items], [TaskStatus.CANCELLED, file, 2])
      assert.equal(await given.content(file), '0\n1\n')
    })

    it('that are done stay where nobody tells of the end', async () => {
      const { id, lease } = await started()
      await given.storePart(lease, 0, '0')
      await given.compute.cancelTask({ id }, given.caller)
      await lost(id)
      await becomes(async () => (await given.get(id)).outputFile !== undefined)
      const task = await given.get(id)
      assert.equal(task.status, TaskStatus.CANCELLED)
      assert.equal(await given.content(task.outputFile ?? ''), '0\n')
      await becomes(async () => (await partsOf(lease)).length === 0)
    })

    it('go with the data of their task', async () => {
      const { id, lease } = await started()
      await given.storePart(lease, 0, '0')
      await given.compute.cancelTask({ id }, given.caller)
      await lost(id)
      await given.compute.deleteTaskData({ id }, given.caller)
      await becomes(async () => (await partsOf(lease)).length === 0)
      assert.equal((await given.get(id)).outputFile, undefined)
    })

    it('that became a file while their data was deleted leave none', async () => {
      const { id, lease } = await started()
      await given.storePart(lease, 0, '0')
      await given.compute.cancelTask({ id }, given.caller)
      assert.equal(await given.finish(lease, { case: 'cancelled', value: true }, {}, POOL), true)
      const files = async () => (await given.files.listFiles({}, given.caller)).data.map(file => file.id)
      given.failNextWrite() // The file is made, and the task does not know of it yet.
      await becomes(async () => !given.isNextWriteFailing())
      assert.equal((await files()).length, 1)
      await given.compute.deleteTaskData({ id }, given.caller)
      await becomes(async () => (await files()).length === 0)
      assert.equal((await given.get(id)).outputFile, undefined)
    })
  })
}
