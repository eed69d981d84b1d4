import type { DescField } from '@bufbuild/protobuf'
import { type RouteOf, rangeFields } from '@millhand/api'
import type { Comments, Schema, Schemas } from '@millhand/api/schema'
import { FILE_PART } from '../upload/multipart.ts'
import { admittedHeaders, headerRefs } from './responses.ts'

/** The body of an upload: its bytes alone, or a form that holds what else the query would. */
export function uploadBody({ parts }: RouteOf<'upload'>, schemas: Schemas): Schema {
  const { fields } = parts.head.message
  const properties = fields.filter(isNoMap).map(field => [field.name, schemas.field(field, 'query')])
  const patterns = fields.filter(field => !isNoMap(field)).map(field => labelPattern(field, schemas))
  const form: Schema = {
    type: 'object',
    description: `Fields come before \`${FILE_PART}\`. Its filename and its type count where no field says another.`,
    properties: { ...Object.fromEntries(properties), [FILE_PART]: bytes('The bytes.') },
    patternProperties: Object.fromEntries(patterns),
    required: [FILE_PART],
    additionalProperties: false,
  }
  return {
    required: true,
    content: {
      'application/octet-stream': { schema: bytes('The bytes. `Content-Type` may be any other too: it is kept.') },
      'multipart/form-data': { schema: form },
    },
  }
}

/** The fields of an upload that come from the query. */
export const describingFields = ({ parts }: RouteOf<'upload'>): readonly DescField[] => parts.head.message.fields

/** The fields of a download's request that come from the query or the path. */
export const askingFields = ({ desc }: RouteOf<'download'>): readonly DescField[] =>
  desc.input.fields.filter(({ name }) => !rangeFields.includes(name))

/** The answers of a download that have a content, by their statuses. */
export function downloadAnswers({ desc, parts }: RouteOf<'download'>, comments: Comments): Record<string, Schema> {
  const answer = (description: string, more: readonly string[]) => ({
    description,
    headers: headerRefs([...admittedHeaders, ...contentHeaders, ...more]),
    content: { '*/*': { schema: bytes(comments(`${desc.output.typeName}.${parts.data.name}`)) } },
  })
  return {
    200: answer(
      'The whole content: where no range is asked for, several are, or `If-Range` names another content.',
      [],
    ),
    206: answer('The range that `Range` asks for.', ['Content-Range']),
  }
}

const contentHeaders = ['ETag', 'Accept-Ranges', 'Content-Disposition', 'Repr-Digest']

const bytes = (description: string): Schema => ({ type: 'string', format: 'binary', description })

const isNoMap = ({ fieldKind }: DescField) => fieldKind !== 'map'

/** A map as fields of a form: `metadata[key]`. */
function labelPattern(field: DescField, schemas: Schemas): [pattern: string, schema: Schema] {
  const { description, additionalProperties, propertyNames } = schemas.field(field, 'query')
  const { minLength = 0, maxLength = '' } = propertyNames as { minLength?: number; maxLength?: number }
  return [`^${field.name}\\[.{${minLength},${maxLength}}\\]$`, { ...(additionalProperties as Schema), description }]
}
