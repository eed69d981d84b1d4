/** Confines executors in instances to the tasks of their own account, in each method of `LeaseService`. */
import { createHash } from 'node:crypto'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type {
  FinishRequest,
  LeaseService,
  StoreOutputRequest,
  StorePartRequest,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type ConfinedExecutor, confinedExecutorKey } from '@millhand/rpc'
import type { ExecutorStandings } from './executor-standings.ts'

type Leases = Partial<ServiceImpl<typeof LeaseService>>
type Method<Q, A> = (request: Q, call: HandlerContext) => A

/** How long a claim waits at most, so that an executor that is to end hears of it soon. */
const CLAIM_WAIT_MS = 2_000

/** The methods with that check. Calls of other executors pass unchanged. */
export function confinedLeases(leases: Leases, standings: ExecutorStandings): Leases {
  const { claim, renew, emit, reserve, finish, readInput, readModel, storeOutput, storePart, joinParts } = leases
  return {
    ...(claim && { claim: claimOwn(claim, standings) }),
    ...(renew && { renew: ofOwn(renew, req => req.leases.map(({ tenant }) => tenant)) }),
    ...(emit && { emit: ofOwn(emit, req => req.runs.map(({ tenant }) => tenant)) }),
    ...(reserve && { reserve: ofOwn(reserve, ({ run }) => [run?.tenant]) }),
    ...(finish && { finish: finishOwn(finish) }),
    ...(readInput && { readInput: ofOwn(readInput, ({ run }) => [run?.tenant]) }),
    ...(readModel && { readModel: ofOwn(readModel, ({ run }) => [run?.tenant]) }),
    ...(storeOutput && { storeOutput: sendingOwn(storeOutput, outputTenants) }),
    ...(storePart && { storePart: sendingOwn(storePart, partTenants) }),
    ...(joinParts && { joinParts: ofOwn(joinParts, ({ run }) => [run?.tenant]) }),
  }
}

const executorOf = (call: HandlerContext): ConfinedExecutor | undefined => call.values.get(confinedExecutorKey)

/** Claims tasks of the executor's own account only, and none once its replica is to end. */
function claimOwn(claim: NonNullable<Leases['claim']>, standings: ExecutorStandings): NonNullable<Leases['claim']> {
  return async (req, call) => {
    const executor = executorOf(call)
    if (executor === undefined) return await claim(req, call)
    // To ask for no runs ends a wait, which is what an executor does first that is to end.
    if (req.runs > 0 && (await standings.latest(executor)) !== 'active')
      throw fail('revoked_credentials', 'The replica of this executor is to end, or has ended.')
    const waitMs = Math.min(req.waitMs, CLAIM_WAIT_MS)
    return await claim({ ...ownName(executor, req), tenant: executor.tenant, waitMs }, call)
  }
}

type Tenants = readonly (string | undefined)[]

/** Refuses requests that name a run of another account. `tenantsOf`: the tenants of all runs that a request names. */
function ofOwn<Q, A>(method: Method<Q, A>, tenantsOf: (request: Q) => Tenants): Method<Q, A> {
  return (request, call) => {
    const executor = executorOf(call)
    if (executor === undefined) return method(request, call)
    requireOwn(executor, tenantsOf(request))
    return method(ownName(executor, request), call)
  }
}

/** Writes the executor's instance into its results: its owner pays for the instance by the second, so the compute is not billed. */
function finishOwn(finish: NonNullable<Leases['finish']>): NonNullable<Leases['finish']> {
  const guarded = ofOwn(finish, ({ results }: FinishRequest) => results.map(({ tenant }) => tenant))
  return (req, call) => {
    const instanceId = executorOf(call)?.instance
    if (instanceId === undefined) return guarded(req, call)
    return guarded({ ...req, results: req.results.map(result => ({ ...result, instanceId })) }, call)
  }
}

/** `ofOwn` for a request that is a stream of parts. */
function sendingOwn<P, A>(
  method: Method<AsyncIterable<P>, A>,
  tenantsOf: (part: P) => Tenants,
): Method<AsyncIterable<P>, A> {
  return (parts, call) => {
    const executor = executorOf(call)
    return method(executor === undefined ? parts : ownParts(executor, parts, tenantsOf), call)
  }
}

async function* ownParts<P>(
  executor: ConfinedExecutor,
  parts: AsyncIterable<P>,
  tenantsOf: (part: P) => Tenants,
): AsyncGenerator<P> {
  for await (const part of parts) {
    requireOwn(executor, tenantsOf(part))
    yield part
  }
}

function requireOwn({ tenant }: ConfinedExecutor, tenants: Tenants): void {
  if (tenants.some(named => named !== tenant))
    throw fail('insufficient_scope', 'This executor runs the tasks of its own account alone.')
}

/** The request with an executor id that no other replica can have: a claim ends the claim before it of the same id. */
function ownName<Q>({ instance, generation }: ConfinedExecutor, request: Q): Q {
  const { executorId } = request as { readonly executorId?: string }
  if (executorId === undefined) return request
  const name = createHash('sha256').update(`${instance} ${generation} ${executorId}`).digest('base64url')
  return { ...request, executorId: name }
}

const outputTenants = ({ part }: StoreOutputRequest): Tenants => (part.case === 'run' ? [part.value.tenant] : [])
const partTenants = ({ part }: StorePartRequest): Tenants => (part.case === 'lines' ? [part.value.run?.tenant] : [])
