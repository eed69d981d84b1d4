import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '@millhand/test-e2e/http'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { taskBillFaults } from './bills.ts'
import { startSystem } from './system.ts'

/** So many that every process is killed before they are done. */
const LINES = 3_000
const LINE_MS = 20
const BILL_LIMIT_MS = 300_000

test('a batch task has each line once, in order, whichever process is killed meanwhile', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-batch-task-'))
  t.diagnostic(`logs and data in ${folder}`)
  await killEach(folder, line => t.diagnostic(line))
  rmSync(folder, { recursive: true })
})

async function killEach(folder: string, say: (line: string) => void): Promise<void> {
  await using system = await startSystem({ root: repository, folder })
  const headers = { authorization: `Bearer ${system.key}` }
  /** Asks one gateway after the other until one answers. */
  const call = async (method: string, path: string, json?: object): Promise<Answer> => {
    for (;;) {
      for (const url of system.urls()) {
        const answer = await send(method, url + path, { headers, ...(json && { json }) }).catch(() => undefined)
        if (answer && answer.status < 500) return answer
      }
      await pause(100)
    }
  }

  const iterations = { dtype: 'int64', shape: [1], data: [LINE_MS * 600] }
  const input = Array.from({ length: LINES }, () => JSON.stringify({ iterations })).join('\n')
  const created = await call('POST', '/v1/tasks', {
    ...{ type: 'batch', model: 'spin', input },
    ...{ run_timeout_s: 3_600, max_attempts: 10 },
  })
  assert.equal(created.status, 201, created.text)
  const task = async () => (await call('GET', `/v1/tasks/${created.body.id}`)).body
  const isOver = ({ status }: { status: string }) => ['succeeded', 'failed'].includes(status)

  const kills: string[] = []
  for (const [name, member] of system.members) {
    if (isOver(await task())) break
    await member.kill()
    await pause(200)
    await member.start()
    kills.push(name)
  }
  await system.mongo.kill()
  await system.mongo.start()
  let ended = await task()
  for (; !isOver(ended); ended = await task()) await pause(500)
  say(`killed: ${kills.join(' ')}; attempts: ${ended.attempt}`)
  assert.equal(ended.status, 'succeeded', JSON.stringify(ended.error))
  assert.equal(ended.usage.items, LINES)
  const { text } = await call('GET', `/v1/files/${ended.output_file}/content`)
  const indexes = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).index)
  assert.deepEqual(indexes, [...Array(LINES).keys()])
  assert.deepEqual(await taskBillFaults({ ...system, keys: [system.key] }, BILL_LIMIT_MS), [])
}
