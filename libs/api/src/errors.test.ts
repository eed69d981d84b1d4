import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type DescMessage, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { isProblemCode, type ProblemCode, problems, shouldRetry } from './error-catalogue.ts'
import { codeOf, fail, failFaults, maxFaults, metadataOf, problemOf, retryAfterOf } from './errors.ts'
import { errorsMarkdown } from './errors-markdown.ts'
import { BadRequestSchema, ErrorInfoSchema } from './gen/google/rpc/error_details_pb.ts'

test('docs/errors.md is what the catalogue says', () => {
  assert.equal(readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8'), errorsMarkdown())
})

test('the catalogue holds every code of the contract', () => {
  const contract = `400 invalid_json invalid_parameter missing_parameter unknown_parameter invalid_cursor
    invalid_idempotency_key model_input_invalid model_invalid
    401 missing_credentials invalid_credentials expired_credentials revoked_credentials
    403 insufficient_scope plan_required spending_limit_reached storage_quota_exceeded account_suspended
    404 not_found unknown_route
    405 method_not_allowed 406 not_acceptable 409 conflict invalid_state idempotency_in_progress 412 precondition_failed
    413 payload_too_large 415 unsupported_media_type 416 range_not_satisfiable 422 idempotency_mismatch
    429 rate_limited daily_quota_exceeded concurrency_limited queue_full 500 internal 501 engine_unavailable
    503 unavailable 504 deadline_exceeded`
  let status = 0
  const expected: [string, number][] = []
  for (const word of contract.split(/\s+/)) {
    if (/^\d+$/.test(word)) status = Number(word)
    else expected.push([word, status])
  }
  assert.deepEqual(
    Object.entries(problems).map(([code, entry]) => [code, entry.status]),
    expected,
  )
})

test('a word that every object has is no code', () => {
  assert.equal(isProblemCode('not_found'), true)
  assert.equal(isProblemCode('toString'), false)
  assert.equal(isProblemCode('__proto__'), false)
})

const faults = [
  { param: 'type', code: 'not_in', message: '`type` must be one of inference, training.' },
  { param: 'metadata.a', code: 'wrong_type', message: '`metadata.a` must be a string.' },
] as const

test('a failure becomes a problem with every fault', () => {
  assert.deepEqual(problemOf(failFaults(faults), 'req_1'), {
    type: '/docs/errors/invalid_parameter',
    title: 'Invalid parameter',
    status: 400,
    code: 'invalid_parameter',
    detail: '`type` must be one of inference, training. `metadata.a` must be a string.',
    param: 'type',
    errors: faults,
    request_id: 'req_1',
  })
})

test('the type of a problem is the address of its page', () => {
  const { type } = problemOf(fail('not_found', 'It is not there.'), 'req_1', 'https://api.millhand.test')
  assert.equal(type, 'https://api.millhand.test/docs/errors/not_found')
})

test('one parameter to blame is also the one of `errors`', () => {
  const problem = problemOf(fail('invalid_cursor', 'It is not one.', { param: 'cursor' }), 'req_1')
  assert.equal(problem.param, 'cursor')
  assert.deepEqual(problem.errors, [{ param: 'cursor', code: 'invalid_cursor', message: 'It is not one.' }])
  assert.equal('errors' in problemOf(fail('invalid_json', 'It is none.'), 'req_1'), false)
})

test('a bad cursor is invalid_cursor, whatever is wrong with it', () => {
  assert.equal(codeOf(failFaults([{ param: 'cursor', code: 'wrong_type', message: 'm' }])), 'invalid_cursor')
  assert.equal(codeOf(failFaults([{ param: 'cursor', code: 'unknown_parameter', message: 'm' }])), 'unknown_parameter')
})

test('no answer names endlessly many faults', () => {
  const many = Array.from({ length: 1_000 }, (_, n) => ({ param: `p${n}`, code: 'wrong_type', message: 'm' }))
  const { detail, errors } = problemOf(failFaults([faults[0], ...many]), 'req_1')
  assert.equal(errors?.length, maxFaults)
  assert.match(detail, / 97 more in `errors`\. These are the first 100; there are more\.$/)
})

test('an unknown or missing parameter, and an input that does not fit, have codes of their own', () => {
  for (const code of ['unknown_parameter', 'missing_parameter', 'model_input_invalid'] as const) {
    assert.equal(codeOf(failFaults([{ param: 'a', code, message: 'm' }])), code)
  }
})

test('nothing is lost on the wire: gRPC and Connect see ErrorInfo, BadRequest and RetryInfo', () => {
  const error = fail('queue_full', 'The queue holds 100000 tasks.', {
    errors: faults,
    retryAfterS: 7,
    metadata: { most: '100000' },
  })
  assert.equal(error.code, Code.ResourceExhausted)
  const received = overTheWire(error)
  assert.deepEqual(problemOf(received, 'req_1'), problemOf(error, 'req_1'))
  assert.equal(retryAfterOf(received), 7)
  assert.deepEqual(metadataOf(received), { most: '100000', param: 'type' })
  const [info] = received.findDetails(ErrorInfoSchema)
  assert.deepEqual([info?.reason, info?.domain], ['queue_full', 'millhand'])
  assert.equal(received.findDetails(BadRequestSchema)[0]?.fieldViolations[1]?.reason, 'wrong_type')
})

test('the cause is kept for the log and shown to nobody', () => {
  const cause = new Error('secret path')
  const error = fail('unavailable', 'The store is away.', { cause })
  assert.equal(error.cause, cause)
  assert.doesNotMatch(JSON.stringify(problemOf(error, 'req_1')), /secret/)
})

for (const [name, error] of [
  ['an Error', new Error('secret')],
  ['a string', 'secret'],
  ['undefined', undefined],
  ['fail(internal)', fail('internal', 'secret')],
  ['a ConnectError of the transport', new ConnectError('secret', Code.Internal)],
  ['a refused service token', new ConnectError('secret', Code.Unauthenticated)],
  ['a code that the catalogue lacks', foreignReason('no_such_code', 'millhand')],
  ['a code of another domain', foreignReason('not_found', 'googleapis.com')],
] as const) {
  test(`${name} is \`internal\` and leaks nothing`, () => {
    const problem = problemOf(error, 'req_1')
    assert.equal(problem.code, 'internal')
    assert.equal(problem.status, 500)
    assert.doesNotMatch(JSON.stringify(problem), /secret/)
    assert.equal(retryAfterOf(error), undefined)
  })
}

for (const [connect, code] of [
  [Code.DeadlineExceeded, 'deadline_exceeded'],
  [Code.Unavailable, 'unavailable'],
  [Code.Canceled, 'unavailable'],
  [Code.InvalidArgument, 'invalid_parameter'],
  [Code.NotFound, 'not_found'],
  [Code.Aborted, 'conflict'],
  [Code.FailedPrecondition, 'invalid_state'],
  [Code.ResourceExhausted, 'payload_too_large'],
] as const) {
  test(`Connect's ${Code[connect]} without ErrorInfo is ${code}`, () => {
    const problem = problemOf(new ConnectError('connect ECONNREFUSED 10.0.0.1', connect), 'req_1')
    assert.equal(problem.code, code)
    assert.doesNotMatch(problem.detail, /10\.0\.0\.1/)
  })
}

test('every 409, 429 and 5xx says whether to send the request again; an internal error only of what is idempotent', () => {
  for (const [code, { status }] of Object.entries(problems)) {
    const isSaid = shouldRetry(code as ProblemCode, true) !== undefined
    assert.equal(isSaid, status === 409 || status === 429 || status >= 500, code)
    if (code !== 'internal')
      assert.equal(shouldRetry(code as ProblemCode, true), shouldRetry(code as ProblemCode, false))
  }
  assert.deepEqual([shouldRetry('internal', true), shouldRetry('internal', false)], [true, false])
})

test('429, 503, 504 and what is in progress always say when to come again, in whole seconds', () => {
  for (const [code, { status }] of Object.entries(problems)) {
    const after = retryAfterOf(fail(code as 'internal', 'x'))
    assert.equal(after, [429, 503, 504].includes(status) || code === 'idempotency_in_progress' ? 1 : undefined, code)
  }
  assert.equal(retryAfterOf(fail('rate_limited', 'x', { retryAfterS: 0.2 })), 1)
  assert.equal(retryAfterOf(fail('rate_limited', 'x', { retryAfterS: 0 })), 1)
})

/** What a client of another process makes of an error. */
function overTheWire(error: ConnectError): ConnectError {
  const received = new ConnectError(error.rawMessage, error.code)
  received.details = error.details.map(detail => {
    assert.ok('desc' in detail)
    const desc: DescMessage = detail.desc
    const message = error.findDetails(desc)[0]
    assert.ok(message)
    return { type: desc.typeName, value: toBinary(desc, message) }
  })
  return received
}

function foreignReason(reason: string, domain: string): ConnectError {
  return new ConnectError('secret', Code.Unknown, undefined, [{ desc: ErrorInfoSchema, value: { reason, domain } }])
}
