import { headerOf, type ProblemCode, problems, type Route, shouldRetry } from '@millhand/api'
import type { Schema } from '@millhand/api/schema'

/** Headers that several answers share: `components.headers`. */
export const headers: Record<string, Schema> = {
  'X-Request-Id': header('Identifies the request, in our log too. A valid one that came with the request is kept.', {
    pattern: '^req_[0-7][0-9a-hjkmnp-tv-z]{25}$',
  }),
  'Idempotent-Replayed': header('`true` where the answer is that to an earlier request.', { const: 'true' }, false),
  Location: header('The path of what was created.', { format: 'uri-reference' }),
  ETag: header('The version of the answer, to be sent back as `If-None-Match`.'),
  'Accept-Ranges': header('`bytes`: `Range` is honoured.'),
  'Content-Disposition': header('`attachment`, with the name of the file: contents are to be saved, not shown.'),
  'Content-Range': header('Which bytes these are, and of how many; of 416, how many there are.'),
  'Repr-Digest': header('The SHA-256 of the whole content, in base64 (RFC 9530).'),
  'Preference-Applied': header('`wait`, where `Prefer: wait` was followed (RFC 7240).', {}, false),
  'RateLimit-Policy': header(
    'The plan of the call: its family, `q` requests in any `w` seconds; of the workforce also what may be asked of it in a ' +
      'day. Not there without a limit.',
    { pattern: listOf('q=\\d+;w=\\d+') },
    false,
  ),
  RateLimit: header(
    'How many more requests would pass now (`r`), and in how many seconds it is one more (`t`), if none is sent until then.',
    { pattern: listOf('r=\\d+;t=\\d+') },
    false,
  ),
  'Retry-After': header('Whole seconds after which the same request can pass.', { type: 'integer', minimum: 1 }),
  'X-Should-Retry': header('Whether the same request may succeed later: `true` or `false`.', {
    enum: ['true', 'false'],
  }),
  'WWW-Authenticate': header('How to authenticate (RFC 6750).'),
  traceparent: header(
    'The trace of the request, where the deployment makes traces: that of the `traceparent` of the request, or a new one ' +
      '(W3C Trace Context).',
    { pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$' },
    false,
  ),
  tracestate: header('The `tracestate` of the request, where its trace goes on.', { maxLength: 512 }, false),
}

/** The pattern of a header with an item for each limit that counts. */
function listOf(parameters: string): string {
  const item = `"(compute|developer|workforce_daily)";${parameters}`
  return `^${item}(, ${item})*$`
}

/** The headers of every error that names its trace. */
const traceNames: readonly string[] = ['traceparent', 'tracestate']

/** The headers of every answer to a caller that is known. */
export const admittedHeaders: readonly string[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

/** Errors as answers, by their names in `components.responses`: those of these statuses. */
export function problemResponses(statuses: ReadonlySet<number>): Record<string, Schema> {
  const byStatus = Map.groupBy(Object.keys(problems) as ProblemCode[], code => problems[code].status as number)
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => statuses.has(status))
      .map(([status, codes]) => [responseName(status), response(status, codes)]),
  )
}

/** Answers to a request that is refused for its HTTP alone, by their names in `components.responses`. */
export const refusalResponses: Record<string, Schema> = Object.fromEntries(
  Object.entries({
    408:
      'The request did not come whole within 30 seconds, or its head within 15; of an upload, nothing came for 30 ' +
      'seconds. The connection is closed.',
    431: 'The head of the request, with its path and query, is larger than 16 KiB. The connection is closed.',
  }).map(([status, description]) => [responseName(Number(status)), problemResponse(description, 'HttpProblem')]),
)

/** The statuses of those: every operation can answer with them. */
export const refusalStatuses = [408, 431]

/** The schemas of errors: `components.schemas`. */
export const problemSchemas: Record<string, Schema> = {
  Problem: {
    type: 'object',
    description: 'What went wrong: RFC 9457, with `code`, `param`, `errors`, `request_id` and `trace_id` added.',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Where the error is documented.' },
      title: { type: 'string', description: 'The error in a few words, the same at every occurrence.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      code: {
        type: 'string',
        'x-extensible-enum': Object.keys(problems),
        description: 'Stable; others may come in later versions.',
      },
      detail: { type: 'string', description: 'What went wrong this time.' },
      param: { type: 'string', description: 'The parameter to blame, where there is one.' },
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/Fault' },
        description: 'Every bad field, where fields are bad: at most 100.',
      },
      request_id: { type: 'string', description: 'Tell the operator, if need be: the log has it.' },
      trace_id: {
        type: 'string',
        description:
          'The trace of the request, where the deployment makes traces: that of `traceparent`, or a new one.',
      },
    },
    required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
  },
  HttpProblem: {
    type: 'object',
    description: 'What is wrong with a request as one of HTTP: RFC 9457, with `request_id` added.',
    properties: {
      type: { const: 'about:blank', description: 'The status says it all.' },
      title: { type: 'string', description: 'The words of the status.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What went wrong.' },
      request_id: { type: 'string', description: 'Tell the operator, if need be.' },
    },
    required: ['type', 'title', 'status', 'detail', 'request_id'],
  },
  Fault: {
    type: 'object',
    description: 'One bad field of a request.',
    properties: {
      param: { type: 'string', description: "The field's full path, for example `tasks[3].model`." },
      code: { type: 'string', description: 'What is wrong with it, as a stable word.' },
      message: { type: 'string', description: 'What is wrong with it, in words.' },
    },
    required: ['param', 'code', 'message'],
  },
}

/** The statuses of the errors that an operation can answer with. */
export function errorStatuses({ method, body, pathFields, kind, answer }: Route): number[] {
  const statuses = [400, 401, 403, 429, 500, 503, 504]
  if (pathFields.length > 0) statuses.push(404)
  if (method !== 'GET') statuses.push(409)
  if (body !== undefined) statuses.push(413, 415)
  if (method === 'POST') statuses.push(422)
  if (kind === 'download') statuses.push(412, 416)
  if (answer.renderedBy !== '') statuses.push(406)
  // What makes work is refused where nothing can do it.
  if (method === 'POST' && kind === 'json' && body !== undefined) statuses.push(501)
  return statuses.sort()
}

export function problemRef(status: number): Schema {
  return { $ref: `#/components/responses/${responseName(status)}` }
}

/** References to shared headers. */
export function headerRefs(names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string, schema: Schema = {}, required = true): Schema {
  return { description, required, schema: { type: 'string', ...schema } }
}

/** `400` is `Problem400`: statuses are what everybody knows errors by. */
function responseName(status: number): string {
  return `Problem${status}`
}

function response(status: number, codes: readonly ProblemCode[]): Schema {
  const names = status === 401 ? ['X-Request-Id'] : [...admittedHeaders]
  const [common, ...others] = new Set(codes.map(headerOf))
  if (common !== undefined && others.length === 0) names.push(common)
  if (codes.every(code => shouldRetry(code, true) !== undefined)) names.push('X-Should-Retry')
  const description = codes.map(code => `- \`${code}\`: ${problems[code].title}. ${problems[code].action}`).join('\n')
  return problemResponse(description, 'Problem', [...names, ...traceNames])
}

function problemResponse(description: string, schema: string, names = ['X-Request-Id']): Schema {
  return {
    description,
    headers: headerRefs(names),
    content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
}
