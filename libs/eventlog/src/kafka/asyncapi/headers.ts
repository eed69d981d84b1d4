import type { Schema } from '@millhand/api/schema'
import { SOURCE } from '../cloud-event.ts'

/** The headers of an event in Kafka, as `cloud-event.ts` writes them: a test holds the two together. */
export const cloudEventHeaders: Schema = {
  type: 'object',
  description: 'CloudEvents 1.0, Kafka protocol binding, binary content mode. Every value is a string in UTF-8.',
  properties: {
    ce_specversion: { const: '1.0', description: 'The version of CloudEvents.' },
    ce_id: { type: 'string', description: 'The `id` of the event. With `ce_source` it names it in all the world.' },
    ce_type: { type: 'string', description: 'The `type` of the event.' },
    ce_source: { const: SOURCE, description: 'Who made it.' },
    ce_time: { type: 'string', format: 'date-time', description: 'Its `created_at`.' },
    ce_subject: { type: 'string', description: 'The id of the resource, as the key has it.' },
    traceparent: {
      type: 'string',
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}',
      description: 'W3C trace context of what caused it, where that was traced.',
    },
    'content-type': { const: 'application/json', description: 'What the value is.' },
  },
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_subject', 'content-type'],
}
