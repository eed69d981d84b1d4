/** A data folder that holds as many ended tasks as asked for. */
import { newKey } from '@millhand/test-e2e/keys'
import { startChild } from '../child.ts'
import { digitsTasks } from '../digits-task.ts'
import { acceptOnly, type Workbench } from '../workbench.ts'
import type { Fill, Filled } from './fill-child.ts'

export interface FilledStore {
  readonly dataDir: string
  /** What a server on it is started with: its account's key. */
  readonly env: Readonly<Record<string, string>>
  /** Of some of its tasks, from the oldest to the newest. */
  readonly ids: readonly string[]
}

/**
 * The product itself runs ten tasks, nine to succeed and one to be cancelled; the rest are copies of these, documents
 * and events, each with an id of its own.
 */
export async function filledStore(workbench: Workbench, tasks: number): Promise<FilledStore> {
  const dataDir = workbench.folder()
  const env = { MILLHAND_BOOTSTRAP_KEY: newKey('live') }
  await runTen(workbench, dataDir, env)
  await using filler = startChild<Fill, Filled>(new URL('fill-child.ts', import.meta.url))
  return { dataDir, env, ...(await filler.ask({ dataDir, tasks })) }
}

async function runTen(workbench: Workbench, dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  await using server = await workbench.server({ dataDir, env })
  const requests = (await digitsTasks(server)).slice(0, 10)
  const [cancelled, ...run] = requests.map(({ body = '' }) => body)
  for (const raw of run) {
    const { body } = await server.request('POST', '/v1/tasks', { raw, headers: { ...json, prefer: 'wait=30' } })
    if (body.status !== 'succeeded') throw new Error(`a task of the benchmark's ended as ${JSON.stringify(body)}`)
  }
  await server.stop()

  await using idle = await workbench.server({ dataDir, env: { ...env, ...acceptOnly } })
  const { body } = await idle.request('POST', '/v1/tasks', { raw: cancelled as string, headers: json })
  await idle.request('DELETE', `/v1/tasks/${body.id}`)
  await idle.stop()
}

const json = { 'content-type': 'application/json' }
