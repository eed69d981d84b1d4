import { type DescField, getOption } from '@bufbuild/protobuf'
import { isRequired, type Route, type ShortRoute } from '@millhand/api'
import { example } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Comments, Schema, Schemas } from '@millhand/api/schema'
import { watchMethodFor } from '../streams/stream-on-create.ts'
import { TOKEN_PARAMETER } from '../streams/stream-tokens.ts'
import { needsBody } from '../transcode/request-reader.ts'
import { askingFields, describingFields, downloadAnswers, uploadBody } from './binary-bodies.ts'
import { eventAnswers, eventContent } from './events.ts'
import { admittedHeaders, errorStatuses, headerRefs, problemRef, refusalStatuses } from './responses.ts'

/** What an operation is described with. */
export interface Sources {
  readonly comments: Comments
  readonly schemas: Schemas
  /** All routes, to link from an answer to what can be done with it. */
  readonly routes: readonly Route[]
  /** What answers some requests in the place of others. */
  readonly shortRoutes: readonly ShortRoute[]
}

/** One Operation Object of OpenAPI 3.1. */
export function operationOf(route: Route, sources: Sources): Schema {
  const { desc, access } = route
  const comment = sources.comments(`${desc.parent.typeName}.${desc.name}`)
  const summary = /^[^.]*/.exec(comment)?.[0] ?? comment
  return {
    operationId: operationId(route, sources.routes),
    summary,
    description: `${comment}\n\nNeeds the scope \`${access.scope}\`.`,
    tags: [tagOf(route)],
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: [{ bearer: [access.scope] }, ...(route.kind === 'events' ? [{ [TOKEN_PARAMETER]: [] }] : [])],
    parameters: parametersOf(route, sources.schemas),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, sources) }),
    responses: {
      ...successes(route, sources),
      ...(isConditional(route) ? { 304: notModified } : {}),
      ...Object.fromEntries([...errorStatuses(route), ...refusalStatuses].map(status => [status, problemRef(status)])),
    },
  }
}

function successes(route: Route, sources: Sources): Record<string, Schema> {
  switch (route.kind) {
    case 'download':
      return downloadAnswers(route, sources.comments)
    case 'events':
      return eventAnswers(
        [route, ...inPlaceOf(route, sources)].flatMap(({ kind, desc }) => (kind === 'events' ? desc : [])),
        sources.schemas,
      )
    default:
      return { [String(route.answer.status)]: success(route, sources) }
  }
}

/** What answers at the same address in the place of a route. */
const inPlaceOf = ({ method, template }: Route, { shortRoutes }: Sources): Route[] =>
  shortRoutes.map(({ route }) => route).filter(route => route.method === method && route.template === template)

/** One of several schemas, or the only one. */
function anyOf(schemas: readonly Schema[]): Schema {
  const different = [...new Map(schemas.map(schema => [schema.$ref, schema])).values()]
  return different.length === 1 ? (different[0] as Schema) : { anyOf: different }
}

/** The tag of a route: its service. */
export function tagOf({ service }: Route): string {
  return service.name.replace(/Service$/, '')
}

/** The method's name; a further route of the same method is numbered. */
function operationId(route: Route, routes: readonly Route[]): string {
  const index = routes.filter(({ desc }) => desc === route.desc).indexOf(route)
  return index === 0 ? route.desc.name : `${route.desc.name}${index + 1}`
}

function parametersOf(route: Route, schemas: Schemas): Schema[] {
  const { pathFields, answer } = route
  const parameters = fieldsOutsideBody(route).map(field =>
    pathFields.includes(field.name) ? pathParameter(field, schemas) : queryParameter(field, schemas),
  )
  parameters.push(parameterRef('X-Request-Id'))
  if (route.method === 'POST') parameters.push(parameterRef('Idempotency-Key'))
  if (answer.wait) parameters.push(parameterRef('Prefer'))
  if (isConditional(route)) parameters.push(parameterRef('If-None-Match'))
  if (route.kind === 'download') parameters.push(...['Range', 'If-Range', 'If-Match'].map(parameterRef))
  if (route.kind === 'events') parameters.push(parameterRef('Last-Event-ID'))
  return parameters
}

function fieldsOutsideBody(route: Route): readonly DescField[] {
  switch (route.kind) {
    case 'json': {
      const { fields } = route.desc.input
      return route.body === undefined ? fields : fields.filter(({ name }) => route.pathFields.includes(name))
    }
    case 'upload':
      return describingFields(route)
    case 'download':
      return askingFields(route)
    case 'events':
      return route.desc.input.fields
  }
}

/** Whether an answer has an entity tag, and is not sent to whom has it. */
const isConditional = ({ kind, answer }: Route) => answer.etag || kind === 'download'

/** Request headers that several operations share: `components.parameters`. */
export const headerParameters: Record<string, Schema> = {
  'X-Request-Id': headerParameter(
    'X-Request-Id',
    'An id for the request: `req_` and 26 characters, a TypeID. Anything else is ignored, and one is made.',
  ),
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    'Makes it safe to send the request again: for 24 hours the first answer is repeated, and nothing is done twice. ' +
      'Choose another for each new request, such as a random UUID.',
    'b3c0a9d2-8f63-4a51-9d0e-7c6f1f0f3b6e',
    // Outer blanks are no part of a header's value.
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  ),
  Prefer: headerParameter(
    'Prefer',
    '`wait=N` waits up to N seconds (1 to 60) before it answers (RFC 7240). Other preferences are ignored.',
    'wait=10',
  ),
  'If-None-Match': headerParameter(
    'If-None-Match',
    'The `ETag` of an answer that you have: while it is the current one, the answer is 304.',
  ),
  Range: headerParameter(
    'Range',
    'The bytes that you want: `bytes=0-499`, `bytes=500-` or `bytes=-500` (RFC 9110). Anything else is ignored.',
    'bytes=0-499',
  ),
  'If-Range': headerParameter(
    'If-Range',
    'The `ETag` of the content that you have a part of: `Range` counts while it is the current one.',
  ),
  'If-Match': headerParameter(
    'If-Match',
    'The `ETag` of the content that you want: for any other content the answer is 412.',
  ),
  'Last-Event-ID': headerParameter(
    'Last-Event-ID',
    'The `id` of the last event that you have: you get those after it. It goes before `after`.',
    2097153,
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  ),
}

function headerParameter(
  name: string,
  description: string,
  example?: string | number,
  schema: Schema = { type: 'string' },
): Schema {
  return { name, in: 'header', description, schema, ...(example === undefined ? {} : { example }) }
}

function parameterRef(name: string): Schema {
  return { $ref: `#/components/parameters/${name}` }
}

function pathParameter(field: DescField, schemas: Schemas): Schema {
  const { description, examples, ...schema } = schemas.field(field, 'query')
  return { name: field.name, in: 'path', required: true, description, schema, ...exampleOf(examples) }
}

function queryParameter(field: DescField, schemas: Schemas): Schema {
  const { description, examples, ...schema } = schemas.field(field, 'query')
  return {
    name: field.name,
    in: 'query',
    description,
    ...(field.fieldKind === 'map' ? { style: 'deepObject', explode: true } : {}),
    ...(field.fieldKind === 'list' ? { style: 'form', explode: false } : {}),
    // A list that is there has an item: `name=` is one empty item, and a list without any is left out.
    schema: field.fieldKind === 'list' ? { ...schema, minItems: 1 } : schema,
    ...exampleOf(examples),
  }
}

function exampleOf(examples: unknown): Schema {
  return Array.isArray(examples) && examples.length > 0 ? { example: examples[0] } : {}
}

function requestBody(route: Route, sources: Sources): Schema {
  const { schemas } = sources
  if (route.kind === 'upload') return uploadBody(route, schemas)
  const { desc, pathFields } = route
  const schema = anyOf([
    schemas.message(desc.input, 'request', pathFields),
    // It may be that its path has a field at its own address, and none here.
    ...inPlaceOf(route, sources).map(short =>
      schemas.message(
        short.desc.input,
        'request',
        short.pathFields,
        short.desc.input.name.replace(/Request$/, 'ShortRequest'),
      ),
    ),
  ])
  const required = desc.input.fields.filter(field => isRequired(field) && !pathFields.includes(field.name))
  const samples = required.map(field => [field.name, getOption(field, example)] as const)
  // What needs one of several fields is not whole with those that are always needed.
  const isChoice = schemas.components[desc.input.name]?.oneOf !== undefined
  const isWhole = !isChoice && samples.length > 0 && samples.every(([, sample]) => sample !== '')
  const whole = Object.fromEntries(samples.map(([name, sample]) => [name, isWhole ? JSON.parse(sample) : undefined]))
  return {
    required: needsBody(route),
    content: { 'application/json': { schema, ...(isWhole ? { example: whole } : {}) } },
  }
}

function success(route: Route, sources: Sources): Schema {
  const { comments, schemas, routes } = sources
  const { desc, answer, method } = route
  const all = [route, ...inPlaceOf(route, sources)]
  const names = [...admittedHeaders]
  if (method === 'POST') names.push('Idempotent-Replayed')
  if (answer.location !== '') names.push('Location')
  if (answer.etag) names.push('ETag')
  if (answer.wait) names.push('Preference-Applied')
  const links = linksOf(route, routes)
  return {
    description: comments(desc.output.typeName),
    headers: headerRefs(names),
    content: {
      'application/json': { schema: anyOf(all.map(each => schemas.message(each.desc.output, 'answer'))) },
      ...(answer.stream
        ? eventContent(
            all.map(each => watchMethodFor(each.desc)),
            schemas,
          )
        : {}),
      ...Object.fromEntries(answer.renditions.map(type => [type, { schema: renditionSchema(type) }])),
    },
    ...(Object.keys(links).length === 0 ? {} : { links }),
  }
}

const renditionSchema = (type: string): Schema =>
  type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }

/** From what was created to everything under its path, by the fields of the answer that make up its location. */
function linksOf({ answer }: Route, routes: readonly Route[]): Schema {
  const { location } = answer
  if (location === '') return {}
  const under = routes.filter(({ template }) => template === location || template.startsWith(`${location}/`))
  return Object.fromEntries(
    under.map(route => [
      operationId(route, routes),
      {
        operationId: operationId(route, routes),
        parameters: Object.fromEntries(route.pathFields.map(name => [name, `$response.body#/${name}`])),
      },
    ]),
  )
}

const notModified: Schema = {
  description: 'The answer is still the one that `If-None-Match` names.',
  headers: headerRefs([...admittedHeaders, 'ETag']),
}
