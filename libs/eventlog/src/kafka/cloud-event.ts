/**
 * An event as a Kafka message: CloudEvents 1.0, Kafka protocol binding, binary content mode. The key orders, the
 * value is the JSON, and all else is in headers.
 */
import type { OutboxEvent } from '@millhand/store'
import type { IHeaders, Message } from 'kafkajs'

/** The CloudEvents `source`: with `id`, it names an event in all the world. */
export const SOURCE = '/millhand'

export interface EventMessage extends Message {
  readonly key: string
  readonly value: string
}

export function messageOf({ key, id, type, time, value, traceparent }: OutboxEvent): EventMessage {
  return {
    key,
    value,
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_type: type,
      ce_source: SOURCE,
      ce_time: new Date(time).toISOString(),
      ce_subject: key,
      ...(traceparent !== undefined && { traceparent }),
      'content-type': 'application/json',
    },
  }
}

/** A message as it was read. */
export interface Received {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers?: IHeaders | undefined
}

/** The event in a message; undefined where it is not one of ours. */
export function eventOf(topic: string, { key, value, headers = {} }: Received): OutboxEvent | undefined {
  const id = text(headers.ce_id)
  const type = text(headers.ce_type)
  const time = Date.parse(text(headers.ce_time) ?? '')
  if (key === null || value === null || id === undefined || type === undefined || Number.isNaN(time)) return
  if (text(headers.ce_specversion) !== '1.0' || text(headers.ce_source) !== SOURCE) return
  if (text(headers['content-type']) !== 'application/json') return
  const traceparent = text(headers.traceparent)
  const event = { topic, key: key.toString(), id, type, time, value: value.toString() }
  return traceparent === undefined ? event : { ...event, traceparent }
}

/** A header that is there once; kafkajs gives one that is repeated as an array. */
function text(header: IHeaders[string]): string | undefined {
  return Buffer.isBuffer(header) ? header.toString() : undefined
}
