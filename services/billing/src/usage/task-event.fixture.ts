/** Events of the ends of tasks, as compute writes them. */
import type { LoggedEvent } from '@millhand/eventlog'
import type { Ending } from './usage-entry.ts'

export interface EndedTask {
  readonly id: string
  readonly tenant?: string
  readonly at: number
  readonly ending?: Ending
  readonly model?: string
  readonly type?: string
  /** Not set for a task that never ran. */
  readonly computeMs?: number
  readonly gpuType?: string
  readonly instanceId?: string
  readonly tokens?: readonly [input: number, output: number]
  readonly cost?: string
}

export function endEvent(task: EndedTask): LoggedEvent {
  const { id, tenant = 'acct_a/live', at, ending = 'succeeded', model = 'digits', type = 'inference' } = task
  const { computeMs, gpuType = 'cpu', instanceId, tokens, cost = '0.000020' } = task
  const [account_id, mode] = tenant.split('/')
  const used = computeMs !== undefined && {
    usage: {
      queue_ms: 1,
      compute_ms: computeMs,
      gpu_type: gpuType,
      ...(tokens && { input_tokens: tokens[0], output_tokens: tokens[1] }),
      items: 1,
      ...(instanceId !== undefined && { instance_id: instanceId }),
    },
    cost: { amount: cost, currency: 'USD' },
  }
  const object = { id, object: 'task', type, model, status: ending, ...used, finished_at: new Date(at).toISOString() }
  const event = { id: `evt_${id}`, object: 'event', type: `task.${ending}`, account_id, mode, data: { object } }
  return {
    topic: 'millhand.tasks.v1',
    key: id,
    id: event.id,
    type: event.type,
    time: at,
    value: JSON.stringify(event),
    position: id,
  }
}
