import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import specs from '@asyncapi/specs'
import { enumWords } from '@millhand/api'
import { TaskStatusSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { protoComments } from '@millhand/api/schema'
import { Ajv, type Options } from 'ajv'
import addFormats from 'ajv-formats'
import { publicTopics } from '../../public-topics.ts'
import { messageOf } from '../cloud-event.ts'
import { asyncapiDocument } from './document.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is read here as its readers do, by path.
const document: any = asyncapiDocument(publicTopics, protoComments())

describe('the AsyncAPI document', () => {
  it('is the golden file', () => {
    const golden = readFileSync(new URL('../../../asyncapi.golden.json', import.meta.url), 'utf8')
    assert.equal(golden, `${JSON.stringify(document, null, 2)}\n`, 'run pnpm generate, and read the diff')
  })

  it('is valid AsyncAPI 3', () => {
    // It brings the schema of JSON Schema itself, so the validator must not have one as well.
    const official = ajv({ meta: false, validateSchema: false })
    const validate = official.compile(specs.schemas['3.0.0'] as object)
    assert.ok(validate(document), JSON.stringify(validate.errors))
    assert.equal(validate({ ...(document as object), channels: { tasks: { adress: 'x' } } }), false, 'it finds a fault')
  })

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g)].map(([, path]) => path as string)
    assert.ok(references.length > 0)
    for (const path of references) {
      const target = path
        .split('/')
        .slice(1)
        .reduce((value, name) => value?.[name], document)
      assert.notEqual(target, undefined, path)
    }
  })

  it('describes every schema and field', () => {
    const schemas = Object.entries<Schema>(document.components.schemas).filter(
      ([name]) =>
        !/^(Task|Model|Batch|WorkforceTask|Instance|InstanceUsage|ApiKey|AccountPlans|Quota|Invoice|SpendingLimit|Webhook)Event$/.test(
          name,
        ),
    )
    for (const [name, { description, properties }] of schemas) {
      assert.ok(description, name)
      for (const [field, property] of Object.entries(properties)) assert.ok(property.description, `${name}.${field}`)
    }
  })

  it('has every topic of the contract, and one operation for each that carries events', () => {
    assert.deepEqual(
      Object.values<{ address: string }>(document.channels).map(({ address }) => address),
      ['tasks', 'batches', 'workforce', 'instances', 'identity', 'billing', 'webhooks'].map(
        word => `millhand.${word}.v1`,
      ),
    )
    assert.deepEqual(Object.keys(document.operations), [
      'publish_tasks',
      'publish_batches',
      'publish_workforce',
      'publish_instances',
      'publish_identity',
      'publish_billing',
      'publish_webhooks',
    ])
  })

  it('has a message for every state that a task can come to', () => {
    const states = [...enumWords(TaskStatusSchema).values()].map(word => (word === 'running' ? 'started' : word))
    assert.deepEqual(
      Object.keys(document.components.messages)
        .filter(type => type.startsWith('task.'))
        .sort(),
      [...states, 'retrying'].map(word => `task.${word}`).sort(),
    )
  })

  it('says which headers a message has, no more and no less', () => {
    const { CloudEventHeaders } = document.components.schemas
    const event = { topic: 't', key: 'task_a', id: 'evt_a', type: 'task.queued', time: 0, value: '{}' }
    const plain = messageOf(event).headers
    const traced = messageOf({ ...event, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }).headers
    const validate = ajv().compile(CloudEventHeaders)
    assert.ok(validate(plain) && validate(traced), JSON.stringify(validate.errors))
    assert.deepEqual(Object.keys(plain ?? {}).sort(), [...CloudEventHeaders.required].sort())
    assert.deepEqual(Object.keys(traced ?? {}).sort(), Object.keys(CloudEventHeaders.properties).sort())
  })
})

interface Schema {
  readonly description: string
  readonly properties: Readonly<Record<string, { readonly description: string }>>
}

function ajv(options: Options = {}): Ajv {
  const validator = new Ajv({ strict: false, allErrors: true, ...options })
  addFormats.default(validator)
  return validator
}
