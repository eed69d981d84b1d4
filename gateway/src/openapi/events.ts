import type { DescMethodServerStreaming } from '@bufbuild/protobuf'
import type { Schema, Schemas } from '@millhand/api/schema'
import { admittedHeaders, headerRefs } from './responses.ts'

/** The answers of a stream of events that are no errors, by their statuses. */
export function eventAnswers(methods: readonly DescMethodServerStreaming[], schemas: Schemas): Record<string, Schema> {
  return {
    200: {
      description: streamDescription,
      headers: headerRefs(admittedHeaders),
      content: eventContent(methods, schemas),
    },
    204: {
      description: 'There is no event after the place that was named, and never will be: an `EventSource` stays away.',
      headers: headerRefs(admittedHeaders),
    },
  }
}

/** The body of an answer that is events of one of the methods: as OpenAPI 3.2 has it, the schema is that of each event. */
export function eventContent(methods: readonly DescMethodServerStreaming[], schemas: Schemas): Schema {
  const told = methods.map(({ output }) => schemas.message(output, 'answer'))
  const data = { anyOf: [told.length === 1 ? told[0] : { anyOf: told }, { $ref: '#/components/schemas/Problem' }] }
  const event: Schema = {
    type: 'object',
    description: 'One event, by its fields.',
    properties: {
      id: { type: 'string', description: 'Its `sequence`: what `Last-Event-ID` goes on after. `error` has none.' },
      event: { type: 'string', description: 'Its `type`; `error` where the stream cannot go on.' },
      data: {
        type: 'string',
        description: 'One line of JSON; of `error` a problem.',
        contentMediaType: 'application/json',
        contentSchema: data,
      },
    },
    required: ['event', 'data'],
  }
  return { 'text/event-stream': { schema: event } }
}

const streamDescription =
  'Server-Sent Events, as they happen. Where the stream cannot go on, its last event is `error`: come back with ' +
  '`Last-Event-ID`. A comment comes every 15 seconds.'

/** How else than by a key a stream of events can be opened: `components.securitySchemes`. */
export const streamTokenScheme = (name: string): Schema => ({
  type: 'apiKey',
  in: 'query',
  name,
  description: 'A stream token, for an `EventSource`, which can send no key. A key counts where both are there.',
})
