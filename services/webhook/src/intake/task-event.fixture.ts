/** What happens to tasks, and endpoints that hear of it. */
import { createIds } from '@millhand/api'
import type { OutboxEvent } from '@millhand/store'
import type { WebhookRecord } from '../webhook.ts'

const ids = createIds()

export interface TaskEventOptions {
  readonly account: string
  readonly mode: 'live' | 'test'
  readonly type: string
  /** The task's id. */
  readonly task: string
  readonly at: number
  readonly callback: unknown
  /** JSON text. */
  readonly output: string
}

/** An event as compute writes it, of a task of `acct_a` that has succeeded where nothing else is said. */
export function taskEvent({
  account = 'acct_a',
  mode = 'live',
  type = 'task.succeeded',
  task = 'task_1',
  at = Date.now(),
  callback,
  output = '"für 日本 😀"',
}: Partial<TaskEventOptions> = {}): OutboxEvent {
  const id = ids('evt')
  const event = JSON.stringify({
    ...{ id, object: 'event', type, created_at: new Date(at).toISOString(), account_id: account, mode },
    resource_version: 1,
    data: { object: { id: task, object: 'task', output: '<output>', callback } },
  })
  const value = event.replace('"<output>"', () => output)
  return { topic: 'millhand.tasks.v1', key: task, id, type, time: at, value }
}

/** An enabled endpoint of `acct_a` that asks for the ends of tasks where nothing else is said. */
export function endpoint(said: Partial<WebhookRecord> = {}): WebhookRecord {
  const tenant = said.tenant ?? 'acct_a/live'
  const [account_id = '', mode] = tenant.split('/')
  return {
    ...{ tenant, id: ids('wh'), version: 1, account_id, mode: mode === 'test' ? mode : 'live' },
    ...{ url: 'https://example.com/', events: ['task.succeeded', 'task.failed'], signature: 'v1', metadata: {} },
    ...{ status: 'enabled', secret: 'sealed', secret_made_by: 'key_a', resource_version: 1 },
    ...{ created_at: 1, updated_at: 1 },
    ...said,
  }
}
