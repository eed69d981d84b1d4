import { Code, ConnectError } from '@connectrpc/connect'
import { headerOf, isProblemCode, type ProblemCode, problemPath, problems } from './error-catalogue.ts'
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from './gen/google/rpc/error_details_pb.ts'
import { withoutOwnPaths } from './redact-paths.ts'
import { withoutSecrets } from './redact-secrets.ts'

/** One bad field of a request. */
export interface Fault {
  /** The field's full path in public JSON, for example `tasks[3].model`. */
  readonly param: string
  /** What is wrong with it, as a stable word, for example `wrong_type`. */
  readonly code: string
  /** What is wrong with it, in words. */
  readonly message: string
}

/** What an error says beyond its code and detail. */
export interface FailOptions {
  /** The one parameter to blame; the first of `errors` where it is not set. */
  readonly param?: string
  /** Every bad field; the one that `param` names, with the problem's code and detail, where it is not set. */
  readonly errors?: readonly Fault[]
  /** Whole seconds after which the same request can pass. */
  readonly retryAfterS?: number
  /** Facts for programs, by name: `metadata` of google.rpc.ErrorInfo. */
  readonly metadata?: Readonly<Record<string, string>>
  /** For the log alone; no caller sees it. */
  readonly cause?: unknown
}

/** A problem as REST shows it: RFC 9457, with our members. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  readonly detail: string
  readonly param?: string
  readonly errors?: readonly Fault[]
  readonly request_id: string
}

/**
 * An error of the catalogue, to be thrown. `said` is for the caller, so it names nothing that the caller may not see;
 * secrets that were in the request are made unreadable in it, and paths of this machine are left out.
 * Over a network it carries google.rpc.ErrorInfo, BadRequest and RetryInfo; in one process it travels as it is.
 */
export function fail(code: ProblemCode, said: string, options: FailOptions = {}): ConnectError {
  const detail = toCaller(said)
  const blamed = options.param === undefined ? undefined : toCaller(options.param)
  const errors =
    options.errors?.map(readable) ?? (blamed === undefined ? undefined : [{ param: blamed, code, message: detail }])
  const param = (blamed ?? errors?.[0]?.param) || undefined
  const details: OutgoingDetails = [
    {
      desc: ErrorInfoSchema,
      value: {
        reason: code,
        domain: errorDomain,
        metadata: { ...options.metadata, ...(param !== undefined && { param }) },
      },
    },
  ]
  if (errors !== undefined) {
    const fieldViolations = errors.map(({ param, code, message }) => ({
      field: param,
      reason: code,
      description: message,
    }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (options.retryAfterS !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(Math.ceil(options.retryAfterS)) } } })
  }
  const make = () => new ConnectError(detail, problems[code].connect, undefined, details, options.cause)
  return problems[code].status < 500 ? withoutStack(make) : make()
}

/**
 * What the caller is to blame for needs no stack, and the log has none of it. Taking one costs tens of microseconds, which
 * a flood of refused requests would take from others.
 */
function withoutStack<T>(make: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The error for a request with bad fields; its code and `param` come from the first of them. */
export function failFaults(faults: readonly [Fault, ...Fault[]]): ConnectError {
  const [first] = faults
  const shown = faults.slice(0, faultsInDetail).map(fault => fault.message)
  const errors = faults.slice(0, maxFaults)
  if (errors.length > faultsInDetail) shown.push(`${errors.length - faultsInDetail} more in \`errors\`.`)
  if (faults.length > errors.length) shown.push(`These are the first ${errors.length}; there are more.`)
  return fail(requestCode(first), shown.join(' '), { errors })
}

/** Fails with all the faults of a request at once, where there are any. */
export function failIf([first, ...others]: readonly Fault[]): void {
  if (first !== undefined) throw failFaults([first, ...others])
}

/** The most faults that an answer shows. Checks stop there: neither the answer nor its cost grows with a body's faults. */
export const maxFaults = 100

/** How many faults are told in `detail`; `errors` has those too. */
const faultsInDetail = 3

/**
 * Any error as a problem. One that is not of the catalogue says nothing but its code and what to do. `baseUrl` is the
 * address by which the caller reaches the gateway, without a slash at its end; without it `type` is a path (a relative
 * reference, RFC 9457, section 3.1.1).
 */
export function problemOf(error: unknown, requestId: string, baseUrl = ''): Problem {
  const { code, detail } = explain(error)
  const { title, status } = problems[code]
  const param = infoOf(error)?.metadata.param
  const errors = faultsOf(error)
  return {
    type: baseUrl + problemPath(code),
    title,
    status,
    code,
    detail,
    ...(param === undefined ? {} : { param }),
    ...(errors === undefined ? {} : { errors }),
    request_id: requestId,
  }
}

/** The catalogue's code of any error. */
export function codeOf(error: unknown): ProblemCode {
  return explain(error).code
}

/** Whether a connection to a service was lost, or there was none: nobody knows whether the call was done. */
export const isLost = (error: unknown): boolean => codeOf(error) === 'unavailable' && infoOf(error) === undefined

/** Whole seconds for `Retry-After`: 1 where the catalogue wants it and the error does not say, else only if set. */
export function retryAfterOf(error: unknown): number | undefined {
  const said = error instanceof ConnectError ? error.findDetails(RetryInfoSchema)[0]?.retryDelay : undefined
  if (said !== undefined) return Math.max(1, Number(said.seconds))
  return headerOf(codeOf(error)) === 'Retry-After' ? 1 : undefined
}

/**
 * Whether an error is a fault of ours, which the log must have. It is none where its caller asked the sandbox for just
 * that, nor where work was asked for that this deployment is not set up to do.
 */
export function isOurs(error: unknown): boolean {
  const code = codeOf(error)
  return problems[code].status >= 500 && code !== 'engine_unavailable' && metadataOf(error).intended === undefined
}

/** The facts that an error of the catalogue tells programs, by name. */
export function metadataOf(error: unknown): Readonly<Record<string, string>> {
  return infoOf(error)?.metadata ?? {}
}

const readable = ({ param, code, message }: Fault): Fault => {
  return { param: toCaller(param), code, message: toCaller(message) }
}

const toCaller = (text: string): string => withoutOwnPaths(withoutSecrets(text))

type OutgoingDetails = NonNullable<ConstructorParameters<typeof ConnectError>[3]>

/** `domain` of our ErrorInfo. */
const errorDomain = 'millhand'

function requestCode({ param, code }: Fault): ProblemCode {
  // Whatever is wrong with a cursor, it is not one that a list gave.
  if (param === 'cursor' && code !== 'unknown_parameter') return 'invalid_cursor'
  if (code === 'too_large') return 'payload_too_large'
  return ownCodes.has(code) ? (code as ProblemCode) : 'invalid_parameter'
}

/** Words for a fault that are codes of the catalogue too. */
const ownCodes: ReadonlySet<string> = new Set<ProblemCode>([
  'model_invalid',
  'unknown_parameter',
  'missing_parameter',
  'model_input_invalid',
])

function explain(error: unknown): { code: ProblemCode; detail: string } {
  const info = infoOf(error)
  if (info !== undefined && isProblemCode(info.reason) && info.reason !== 'internal') {
    return { code: info.reason, detail: (error as ConnectError).rawMessage }
  }
  const code = error instanceof ConnectError ? foreign(error.code) : 'internal'
  return { code, detail: problems[code].action }
}

/**
 * The code of an error that none of our services made: a transport's, or Connect's own. Unauthenticated and
 * PermissionDenied are about the hop between two services then, not about the caller, so they are `internal`.
 */
function foreign(code: Code): ProblemCode {
  switch (code) {
    case Code.InvalidArgument:
    case Code.OutOfRange:
      return 'invalid_parameter'
    case Code.NotFound:
      return 'not_found'
    case Code.AlreadyExists:
    case Code.Aborted:
      return 'conflict'
    case Code.FailedPrecondition:
      return 'invalid_state'
    case Code.ResourceExhausted:
      // Connect raises it for messages over its size limit and for nothing else.
      return 'payload_too_large'
    case Code.Canceled:
    case Code.Unavailable:
      return 'unavailable'
    case Code.DeadlineExceeded:
      return 'deadline_exceeded'
    default:
      return 'internal'
  }
}

function infoOf(error: unknown) {
  if (!(error instanceof ConnectError)) return undefined
  return error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === errorDomain)
}

function faultsOf(error: unknown): Fault[] | undefined {
  if (!(error instanceof ConnectError)) return undefined
  return error
    .findDetails(BadRequestSchema)[0]
    ?.fieldViolations.map(({ field, reason, description }) => ({ param: field, code: reason, message: description }))
}
