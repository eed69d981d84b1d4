import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '@millhand/test-e2e/server'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/** The golden AsyncAPI file, as a consumer has it. */
// biome-ignore lint/suspicious/noExplicitAny: a document is read here as its readers do, by path.
export const asyncapi: any = JSON.parse(readFileSync(join(repository, 'libs/eventlog/asyncapi.golden.json'), 'utf8'))

const validator = new Ajv({ strict: false, allErrors: true })
addFormats.default(validator)
validator.addSchema(asyncapi, 'asyncapi')

/** What of a value is not as the document says that this part of a message is; empty where all is. */
export function faultsOf(message: string, part: 'payload' | 'headers', value: unknown): string[] {
  const validate = validator.getSchema(`asyncapi#/components/messages/${message}/${part}`)
  if (validate === undefined) return [`there is no message ${message}`]
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message: fault }) => `${instancePath} ${fault}`)
}
