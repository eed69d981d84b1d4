/** Who may call what, of those who call over a network. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { ConnectError, type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { parseId } from '@millhand/api'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import type { Clock } from '@millhand/process'
import { type Log, parseTraceContext, tracer } from '@millhand/telemetry'
import { operationKey, parseOperation, parseWaitMs, waitMsKey } from '../operation.ts'
import { confinedExecutorKey, type Principal, principalKey, requestIdKey } from '../principal.ts'
import { parseReachedLimit, reachedLimitKey } from '../reached-limit.ts'
import { traceKey } from '../trace.ts'
import { refusal } from './admission-error.ts'
import { consumerSecretOf, endWithCredential } from './consumers/consumer-calls.ts'
import type { ConsumerDirectory } from './consumers/consumer-directory.ts'
import { operationHeader, reachedLimitHeader, requestIdHeader, waitMsHeader } from './outgoing-headers.ts'
import { ReflectionAlpha } from './reflection-alpha.ts'
import { allows, createTokenReader, type ServiceGrant } from './service-token.ts'
import { createPrincipalReader, principalHeader } from './signed-principal.ts'

/** Header lines by name; `Headers` are. */
export type HeaderLines = Pick<Headers, 'get'>

export interface Admission {
  /**
   * The values of an admitted call: its principal, its request id, its trace and, for a principal, its operation, its wait and
   * its reached limit, where its `header` has them. `carrier` is whose header has the service token: the tunnel that the call came through, or the call itself.
   *
   * @throws ConnectError `unauthenticated` without a good token and for a principal that is not ours, `unavailable` for
   * one of another time,
   * `permission_denied` for a method that is not granted and for a principal from who may not name one
   */
  admit(carrier: TokenCarrier, method: DescMethod, header?: HeaderLines): ContextValues
  /**
   * The same for a call on its own, before anything of its message is read: a `requestGate` of Connect. A consumer may wait
   * for identity.
   */
  gate(call: HandlerContext): void | Promise<void>
  /** Whether there is a good token, or a consumer's good credential, whatever it grants. */
  isKnown(carrier: TokenCarrier): Promise<boolean>
}

/** What a service token comes with; a handler's context is one. */
export interface TokenCarrier {
  readonly requestHeader: HeaderLines
}

export interface AdmissionOptions {
  /** The public keys of those who mint our tokens: while a secret is changed, the new one's and the old one's. */
  readonly trusted: readonly string[]
  /** Services that check a credential of their own, and are answered without a token. */
  readonly openServices?: readonly DescService[] | undefined
  /** Who knows the credentials of internal consumers; without it none is let in. */
  readonly consumers?: ConsumerDirectory | undefined
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Hears who is refused, mostly a process of ours with a wrong token: each caller and method once a minute. */
  readonly log: Log
}

/** Answered without a token: probes of orchestrators have none. */
const probed: DescService = Health
/** Answered with any good token: descriptors are no secret, and the calls in a tunnel are admitted one by one. */
const reflected: ReadonlySet<string> = new Set([ServerReflection.typeName, ReflectionAlpha.typeName])
const anyToken: ReadonlySet<string> = new Set([...reflected, TunnelService.typeName])

export function createAdmission(options: AdmissionOptions): Admission {
  const { trusted, openServices = [], consumers, clock, log } = options
  const open = new Set([probed, ...openServices].map(({ typeName }) => typeName))
  const readToken = createTokenReader(trusted)
  const report = reportRefusals(log, clock)

  // A tunnel shows its token once and carries many calls.
  const grants = new WeakMap<TokenCarrier, ServiceGrant>()
  // Who signs them is in the token that they come with.
  const readers = new WeakMap<ServiceGrant, (header: string) => Principal>()

  const grantOf = (carrier: TokenCarrier): ServiceGrant => {
    const grant = grants.get(carrier) ?? readGrant(carrier)
    if (grant.expiresAt !== undefined && grant.expiresAt <= clock.now()) {
      const end = new Date(grant.expiresAt).toISOString()
      throw refusal('expired_credentials', `The service token of ${grant.service} expired at ${end}.`)
    }
    return grant
  }

  const readGrant = (carrier: TokenCarrier): ServiceGrant => {
    const authorization = carrier.requestHeader.get('authorization')
    if (authorization === null)
      throw refusal('missing_credentials', 'Send a service token as `Authorization: Bearer …`.')
    const grant = BEARER.test(authorization) ? readToken(authorization.slice(BEARER_LENGTH)) : undefined
    if (grant === undefined) throw refusal('invalid_credentials', 'The service token was not made for this deployment.')
    grants.set(carrier, grant)
    return grant
  }

  const readPrincipal = (grant: ServiceGrant, signed: string): Principal => {
    if (grant.signer === undefined) throw refusal('insufficient_scope', 'The service token may not name an account.')
    const read = readers.get(grant) ?? createPrincipalReader(grant.signer, clock)
    readers.set(grant, read)
    return read(signed)
  }

  const enter = (values: ContextValues, carrier: TokenCarrier, method: DescMethod, header: HeaderLines) => {
    const service = method.parent.typeName
    if (open.has(service)) return
    const grant = grantOf(carrier)
    if (!anyToken.has(service) && !allows(grant, method)) {
      throw refusal('insufficient_scope', `The service token does not allow /${service}/${method.name}.`)
    }
    if (grant.executor !== undefined) values.set(confinedExecutorKey, grant.executor)
    const signed = header.get(principalHeader)
    if (signed !== null) {
      values.set(principalKey, readPrincipal(grant, signed))
      // It becomes an id of the principal's: without one there is nothing that it could name.
      const operation = parseOperation(header.get(operationHeader) ?? '')
      if (operation !== undefined) values.set(operationKey, operation)
      values.set(waitMsKey, parseWaitMs(header.get(waitMsHeader) ?? ''))
      values.set(reachedLimitKey, parseReachedLimit(header.get(reachedLimitHeader) ?? ''))
    }
    follow(values, header)
  }

  const admit = (values: ContextValues, carrier: TokenCarrier, method: DescMethod, header: HeaderLines) => {
    try {
      enter(values, carrier, method, header)
      return values
    } catch (error) {
      report(grants.get(carrier)?.service, method, ConnectError.from(error))
      throw error
    }
  }

  return {
    admit: (carrier, method, header = carrier.requestHeader) => admit(createContextValues(), carrier, method, header),
    gate(call) {
      const secret = consumerSecretOf(call.requestHeader)
      if (consumers === undefined || secret === undefined || open.has(call.method.parent.typeName)) {
        admit(call.values, call, call.method, call.requestHeader)
        return
      }
      return enterConsumer(consumers, report, secret, call)
    },
    async isKnown(carrier) {
      try {
        const secret = consumerSecretOf(carrier.requestHeader)
        if (consumers === undefined || secret === undefined) grantOf(carrier)
        else await consumers.recognize(secret)
        return true
      } catch {
        return false
      }
    },
  }
}

async function enterConsumer(
  directory: ConsumerDirectory,
  report: Report,
  secret: string,
  call: HandlerContext,
): Promise<void> {
  const { method, requestHeader, values } = call
  let caller: Principal | undefined
  try {
    if (reflected.has(method.parent.typeName)) await directory.recognize(secret)
    else caller = await directory.admit(secret, method, requestHeader)
  } catch (error) {
    report('a consumer', method, ConnectError.from(error))
    throw error
  }
  if (caller === undefined) return
  values.set(principalKey, caller)
  follow(values, requestHeader)
  endWithCredential(directory, caller, call)
}

/** What the call is part of: its request and its trace. */
function follow(values: ContextValues, header: HeaderLines): void {
  const requestId = parseId('req', header.get(requestIdHeader) ?? '')
  if (requestId !== undefined) values.set(requestIdKey, requestId)
  if (tracer() !== undefined)
    values.set(traceKey, parseTraceContext(header.get('traceparent'), header.get('tracestate')))
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer /i
const BEARER_LENGTH = 'Bearer '.length

/** A caller without a good token is nobody. */
type Report = (caller: string | undefined, method: DescMethod, refusal: ConnectError) => void

/** Logs refusals, each caller, method and reason once a minute: a refused caller tries again. What is remembered is bounded: only we make callers and methods. */
function reportRefusals(log: Log, clock: Pick<Clock, 'monotonic'>): Report {
  const told = new Map<string, number>()
  return (caller = 'nobody', { parent, name }, { code, rawMessage: reason }) => {
    const method = `${parent.typeName}/${name}`
    const key = `${caller} ${method} ${code}`
    const now = clock.monotonic()
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    told.set(key, now)
    log.warn('rpc.refused', { caller, method, reason })
  }
}

const EVERY_MS = 60_000
