import { Code } from '@connectrpc/connect'

/** One row of the catalogue. */
export interface CatalogueEntry {
  /** HTTP status of the answer. */
  readonly status: number
  /** The problem in a few words, the same at every occurrence (RFC 9457, section 3.1.4). */
  readonly title: string
  /** What the caller does about it. */
  readonly action: string
  /** The code that gRPC and Connect callers see beside ours. */
  readonly connect: Code
  /** What its answer carries beside the body, always. */
  readonly header?: ProblemHeader
  /** Whether the same request may succeed later: of every 409, 429 and 5xx. `idempotent` where the first may have been done. */
  readonly retry?: boolean | 'idempotent'
}

type ProblemHeader = 'Allow' | 'Content-Range' | 'Retry-After' | 'WWW-Authenticate'

/** Every error code that a caller can get. Codes are stable: they are added to, never renamed. Contract, section 2. */
export const problems = {
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    action: 'Send a body that is one JSON value in UTF-8 (RFC 8259).',
    connect: Code.InvalidArgument,
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    action: 'Correct the parameters that `errors` names; each entry says what is allowed.',
    connect: Code.InvalidArgument,
  },
  missing_parameter: {
    status: 400,
    title: 'Missing parameter',
    action: 'Send the parameter that `param` names.',
    connect: Code.InvalidArgument,
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    action: 'Remove the parameter that `param` names, or correct its spelling: names are snake_case.',
    connect: Code.InvalidArgument,
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    action: 'Send `next_cursor` unchanged, with the filters and the order of the request that returned it.',
    connect: Code.InvalidArgument,
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid idempotency key',
    action: 'Send 1 to 255 printable ASCII characters as `Idempotency-Key`.',
    connect: Code.InvalidArgument,
  },
  model_input_invalid: {
    status: 400,
    title: 'Input does not fit the model',
    action: 'Send an `input` in the `input_format` of the model, which `GET /v1/models/{id}` returns.',
    connect: Code.InvalidArgument,
  },
  model_invalid: {
    status: 400,
    title: 'No model that can be run',
    action: 'Export the model as one ONNX file of standard operators, with its weights inside, and upload that.',
    connect: Code.InvalidArgument,
  },
  missing_credentials: {
    status: 401,
    title: 'Missing credentials',
    action: 'Send an API key or an access token as `Authorization: Bearer …`.',
    connect: Code.Unauthenticated,
    header: 'WWW-Authenticate',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    action: 'Check the key: it is misspelled or does not exist.',
    connect: Code.Unauthenticated,
    header: 'WWW-Authenticate',
  },
  expired_credentials: {
    status: 401,
    title: 'Expired credentials',
    action: 'Create a new key, or refresh the access token.',
    connect: Code.Unauthenticated,
    header: 'WWW-Authenticate',
  },
  revoked_credentials: {
    status: 401,
    title: 'Revoked credentials',
    action: 'Use another key. A revoked key never works again.',
    connect: Code.Unauthenticated,
    header: 'WWW-Authenticate',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    action: 'Use a key with the scope that `detail` names.',
    connect: Code.PermissionDenied,
    header: 'WWW-Authenticate',
  },
  plan_required: {
    status: 403,
    title: 'Another plan is required',
    action: 'Change to a plan that includes the call.',
    connect: Code.PermissionDenied,
  },
  spending_limit_reached: {
    status: 403,
    title: 'Spending limit reached',
    action: "Raise the account's spending limit, or wait for the next period.",
    connect: Code.PermissionDenied,
  },
  storage_quota_exceeded: {
    status: 403,
    title: 'Storage quota used up',
    action: 'Delete files that are no longer needed, or ask the operator for a larger quota.',
    connect: Code.ResourceExhausted,
  },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    action: 'Ask the operator why the account is suspended.',
    connect: Code.PermissionDenied,
  },
  not_found: {
    status: 404,
    title: 'Not found',
    action: 'Check the id. The key must belong to the same account and mode (live or test) as the object.',
    connect: Code.NotFound,
  },
  unknown_route: {
    status: 404,
    title: 'Unknown route',
    action: 'Check the path: `/openapi.json` lists all paths.',
    connect: Code.Unimplemented,
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    action: 'Use one of the methods that the `Allow` header lists.',
    connect: Code.Unimplemented,
    header: 'Allow',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    action: 'Send an `Accept` that allows one of the media types that `detail` lists.',
    connect: Code.InvalidArgument,
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    action: 'Get the current state of the object and decide again.',
    connect: Code.Aborted,
    retry: false,
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    action: "Check the object's `status`. `detail` says in which states the call is allowed.",
    connect: Code.FailedPrecondition,
    retry: false,
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request is still running',
    action: 'Send the request again a little later, with the same `Idempotency-Key`.',
    connect: Code.Aborted,
    header: 'Retry-After',
    retry: true,
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    action: 'Get the object again: it has changed since the version in the request.',
    connect: Code.FailedPrecondition,
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    action: 'Send a smaller body. Upload large inputs as files.',
    connect: Code.ResourceExhausted,
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    action: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
    connect: Code.InvalidArgument,
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    action: 'Request a range within the size in `Content-Range`.',
    connect: Code.OutOfRange,
    header: 'Content-Range',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key was used for another request',
    action: 'Use a new `Idempotency-Key` for a new request. To repeat a request, send the same method, path and body.',
    connect: Code.InvalidArgument,
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    action: 'Wait the number of seconds in `Retry-After`. The request was not processed and is not billed.',
    connect: Code.ResourceExhausted,
    header: 'Retry-After',
    retry: true,
  },
  daily_quota_exceeded: {
    status: 429,
    title: 'Daily quota used up',
    action: 'Wait until 00:00 UTC (`Retry-After` has the seconds), or change to a larger plan.',
    connect: Code.ResourceExhausted,
    header: 'Retry-After',
    retry: true,
  },
  concurrency_limited: {
    status: 429,
    title: 'Too much at once',
    action: 'Wait until some of your open requests have ended, then send the request again.',
    connect: Code.ResourceExhausted,
    header: 'Retry-After',
    retry: true,
  },
  queue_full: {
    status: 429,
    title: 'Queue full',
    action: "Wait until some of the account's queued tasks have run, then send the request again.",
    connect: Code.ResourceExhausted,
    header: 'Retry-After',
    retry: true,
  },
  internal: {
    status: 500,
    title: 'Internal error',
    action: 'Send the request again. If the error persists, report the `request_id` to the operator.',
    connect: Code.Internal,
    retry: 'idempotent',
  },
  engine_unavailable: {
    status: 501,
    title: 'No engine for this work',
    action: 'Ask the operator to set the variable that `detail` names. It provides the engine.',
    connect: Code.Unimplemented,
    retry: false,
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    action: 'Send the request again after the number of seconds in `Retry-After`.',
    connect: Code.Unavailable,
    header: 'Retry-After',
    retry: true,
  },
  deadline_exceeded: {
    status: 504,
    title: 'Deadline exceeded',
    action: 'Send the request again. With an `Idempotency-Key` it is executed once.',
    connect: Code.DeadlineExceeded,
    header: 'Retry-After',
    retry: true,
  },
} as const satisfies Record<string, CatalogueEntry>

/** A code of the catalogue. */
export type ProblemCode = keyof typeof problems

/** The header that belongs to every answer with that code. */
export function headerOf(code: ProblemCode): ProblemHeader | undefined {
  const { header }: CatalogueEntry = problems[code]
  return header
}

/**
 * Whether the same request may succeed later, for `X-Should-Retry`; undefined for errors that the request itself is to
 * blame for. `isIdempotent`: sent twice, it is done once.
 */
export function shouldRetry(code: ProblemCode, isIdempotent: boolean): boolean | undefined {
  const { retry }: CatalogueEntry = problems[code]
  return retry === 'idempotent' ? isIdempotent : retry
}

/** The path of the page that describes an error, below the address of the gateway: the end of a problem's `type`. */
export const problemPath = (code: ProblemCode): string => `/docs/errors/${code}`

/** Whether a text is a code of the catalogue. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text)
}
