/** The event of a part of an instance's run, as billing reads it: it ends at a full hour, or with the run. */
import { runMicros } from '@millhand/api'
import { isCount, type Json, object, text, time } from './event-fields.ts'
import type { EntryOf } from './task-event.ts'

/** Its id is that of the part: replica, run and beginning. Its model is the instance. */
export const instanceEntry: EntryOf = ({ id, type, value }) => {
  if (type !== 'instance.metered') return undefined
  const event: Json = JSON.parse(value)
  const part = object(object(event.data).object)
  const tenant = `${text(event.account_id)}/${text(event.mode)}`
  const [instance, start] = [text(part.instance_id), time(part.started_at)]
  const { replica, generation } = part
  if (!isCount(replica) || !isCount(generation)) throw new TypeError('a replica is missing')
  const unit = secondNanos(part.hourly_price)
  const unreadable = [...(isCount(part.run_ms) ? [] : ['run_ms']), ...(unit === undefined ? ['hourly_price'] : [])]
  const [compute_ms, unit_nanos] = [isCount(part.run_ms) ? part.run_ms : 0, unit ?? 0]
  const micros = runMicros(compute_ms, unit_nanos)
  const entry = {
    ...{ tenant, id: `${instance}:${replica}:${generation}:${start}`, event_id: id },
    // It belongs to the hour and the month in which it began.
    ...({
      finished_at: start,
      ending: 'succeeded',
      model: instance,
      type: 'instance',
      gpu_type: text(part.gpu),
    } as const),
    ...{ compute_ms, input_tokens: 0, output_tokens: 0, items: 1, unit_nanos },
    // Test mode costs nothing.
    cost_micros: tenant.endsWith('/test') ? 0 : micros,
  }
  return { entry, unreadable }
}

/** Nano-dollars for a second: an hour has 3,600 of its price. */
function secondNanos(price: unknown): number | undefined {
  const { amount, currency } = typeof price === 'object' && price !== null ? (price as Json) : {}
  const [, whole, decimals = ''] = /^(\d{1,6})\.(\d{1,9})$/.exec(String(amount)) ?? []
  if (currency !== 'USD' || whole === undefined) return undefined
  return Math.round((Number(whole) * 1e9 + Number(decimals.padEnd(9, '0'))) / 3_600)
}
