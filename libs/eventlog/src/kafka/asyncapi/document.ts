import { EventSchema } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import { type Comments, createSchemas, type Schema, type Schemas } from '@millhand/api/schema'
import type { Carried, PublicTopic } from '../../public-topics.ts'
import { SOURCE } from '../cloud-event.ts'

/** The AsyncAPI 3 document of topics: a channel each, and a message for each type of event. */
export function asyncapiDocument(topics: Readonly<Record<string, PublicTopic>>, comments: Comments): Schema {
  const schemas = createSchemas(comments)
  const described = Object.entries(topics).map(([word, topic]) => describeTopic(word, topic, schemas))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Millhand: the public stream',
      version: '1',
      description,
      license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.assign({}, ...described.map(({ channel }) => channel)),
    operations: Object.assign({}, ...described.map(({ operation }) => operation)),
    components: {
      messages: Object.assign({}, ...described.map(({ messages }) => messages)),
      schemas: Object.assign(
        { CloudEventHeaders: cloudEventHeaders },
        schemas.components,
        ...described.map(({ payload }) => payload),
      ),
    },
  }
}

const description = `Every change of state of a resource is one event: a Kafka message whose key is the resource's id,
whose value is the event as JSON, and whose headers are those of CloudEvents 1.0 in binary mode. A consumer needs a
Kafka client and JSON, nothing else.

Published at least once, after the change is durable and never before. In order per key: the events of a resource come
in the order of its changes, none is left out, but one or several may come again, with the same \`id\` and the same
content, also after later ones. So drop an event whose \`resource_version\` is not greater than the one that you have of
the resource (\`data.object.id\`); to count events, drop an \`id\` that you have counted. There is no order between
resources.

An event carries the resource as lists show it. The event of a task's end also carries \`output\`, up to 64 KiB of JSON; a
larger one is left out, \`data.output_omitted\` is true then, and \`data.output_url\` is where REST has it.

Accept unknown fields, enum values, headers and event types: they may be added; nothing else changes under \`v1\`. The
names of topics stand behind the deployment's prefix, where it has one.`

interface DescribedTopic {
  readonly channel: Record<string, Schema>
  readonly operation: Record<string, Schema>
  readonly messages: Record<string, Schema>
  readonly payload: Record<string, Schema>
}

function describeTopic(word: string, { name, about, carries }: PublicTopic, schemas: Schemas): DescribedTopic {
  const bindings = { kafka: { topic: name, bindingVersion: '0.5.0' } }
  if (carries === undefined) {
    const channel = {
      address: name,
      description: `${about} The topic is there; nothing is published on it yet.`,
      bindings,
    }
    return { channel: { [word]: channel }, operation: {}, messages: {}, payload: {} }
  }
  const reference = (type: string) => ({ $ref: `#/channels/${word}/messages/${type}` })
  const types = carries.flatMap(({ events }) => Object.keys(events))
  return {
    channel: {
      [word]: {
        address: name,
        description: about,
        messages: Object.fromEntries(types.map(type => [type, { $ref: `#/components/messages/${type}` }])),
        bindings,
      },
    },
    operation: {
      [`publish_${word}`]: {
        action: 'send',
        summary: 'Millhand publishes each of these events, at least once, in order per key.',
        channel: { $ref: `#/channels/${word}` },
        messages: types.map(reference),
      },
    },
    messages: Object.assign({}, ...carries.map(messagesOf)),
    payload: Object.assign({}, ...carries.map(carried => payloadOf(carried, about, schemas))),
  }
}

const payloadName = ({ resource }: Carried) => `${resource.name}Event`

const messagesOf = (carried: Carried): Record<string, Schema> =>
  Object.fromEntries(Object.entries(carried.events).map(event => [event[0], messageOf(...event, payloadName(carried))]))

const payloadOf = (carried: Carried, about: string, schemas: Schemas): Record<string, Schema> => ({
  [payloadName(carried)]: {
    type: 'object',
    description: `${about} One event.`,
    allOf: [schemas.message(EventSchema, 'answer')],
    properties: {
      type: { type: 'string', 'x-extensible-enum': Object.keys(carried.events) },
      data: {
        type: 'object',
        properties: { object: schemas.message(carried.resource, 'answer') },
        required: ['object'],
      },
    },
  },
})

/** The message of one type of event. */
function messageOf(type: string, summary: string, payloadName: string): Schema {
  return {
    name: type,
    title: type,
    summary,
    contentType: 'application/json',
    headers: {
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/CloudEventHeaders' }],
      properties: { ce_type: { const: type } },
    },
    payload: {
      type: 'object',
      allOf: [{ $ref: `#/components/schemas/${payloadName}` }],
      properties: { type: { const: type } },
    },
    bindings: {
      kafka: {
        key: { type: 'string', description: 'The id of the resource: `data.object.id`.' },
        bindingVersion: '0.5.0',
      },
    },
  }
}

/** The headers of an event in Kafka, as `cloud-event.ts` writes them: a test holds the two together. */
const cloudEventHeaders: Schema = {
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
