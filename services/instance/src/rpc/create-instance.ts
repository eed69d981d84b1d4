import type { HandlerContext } from '@connectrpc/connect'
import { fail, failIf, idTime } from '@millhand/api'
import type { CreateInstanceRequest, Instance } from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { KeyedMutex } from '@millhand/process'
import { idOf, operationKey, type Principal, principal, requestIdKey } from '@millhand/rpc'
import { type InstanceRecord, type Secrets, sealedFor } from '../instance.ts'
import type { InstanceDeps } from '../instance-deps.ts'
import { instanceMessage } from '../instance-message.ts'
import { insertInstance } from '../instance-store.ts'
import { tracedBy } from '../instance-trace.ts'
import { newInstance } from '../new-instance.ts'

/** Of the names and values of `env` together. */
const MOST_ENV_BYTES = 65_536

/**
 * Creates an instance; the reconciler starts its replicas. A second call of the same operation answers with what the first
 * has made. Of several processes each may let in one more than the plan allows where they count at the same moment.
 */
export const createInstance = (deps: InstanceDeps) => {
  const { instances, ids, plans, drivers, gpuTypes, onRequested } = deps
  const mutex = new KeyedMutex()

  return async (req: CreateInstanceRequest, call: HandlerContext): Promise<Instance> => {
    const caller = principal(call)
    const { tenant, mode } = caller
    const show = (instance: InstanceRecord) => instanceMessage(instance, plans.prices)
    const id = idOf('inst', call, ids)
    const before = call.values.get(operationKey) === undefined ? undefined : await instances.get(tenant, id)
    if (before) return show(before)
    if (drivers[mode] === undefined) throw noDriver()
    requireEnv(req)
    if (req.image === deps.executors?.image) requirePlainExecutor(req)
    await gpuTypes[mode].require(req.gpu)
    const document = newInstance(given(deps, req, caller, id, call))
    await mutex.runExclusive(tenant, async () => {
      const { max_instances: most } = plans.computePlan(caller.plans.compute)
      const open = await instances.count('open', { equals: [tenant] }, most)
      if (open >= most) throw tooMany(most)
      await insertInstance(deps, document)
    })
    onRequested()
    const made = await instances.get(tenant, id)
    return show(made ?? { ...document, version: 1 })
  }
}

function requireEnv({ env }: CreateInstanceRequest): void {
  const bytes = Object.entries(env).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('=')), 0)
  if (bytes > MOST_ENV_BYTES)
    throw fail('invalid_parameter', `\`env\` has more than ${MOST_ENV_BYTES} bytes.`, { param: 'env' })
}

/** What runs in it is what the operator has built. It computes on the processor: a GPU would be paid for, and do nothing. */
function requirePlainExecutor({ gpu, command, env, ports, volumeGb }: CreateInstanceRequest): void {
  if (gpu !== 'cpu')
    throw fail('invalid_parameter', '`gpu` must be `cpu` for the image of executors: it computes on the processor.', {
      param: 'gpu',
    })
  const given = {
    command: command.length > 0,
    env: Object.keys(env).length > 0,
    ports: ports.length > 0,
    volume_gb: volumeGb !== undefined,
  }
  failIf(
    Object.entries(given)
      .filter(([, isGiven]) => isGiven)
      .map(([param]) => ({
        param,
        code: 'not_allowed',
        message: `\`${param}\` can’t be set for the image of executors.`,
      })),
  )
}

function given(
  { cipher }: InstanceDeps,
  req: CreateInstanceRequest,
  { tenant, accountId, mode, plans }: Principal,
  id: InstanceRecord['id'],
  { values }: HandlerContext,
) {
  const created_at = idTime(id)
  const { registryCredential: registry } = req
  const secrets: Secrets = {
    env: req.env,
    ...(registry && { registry: { username: registry.username, password: registry.password } }),
  }
  const hasSecrets = registry !== undefined || Object.keys(req.env).length > 0
  return {
    ...{ id, tenant, account_id: accountId, mode, plan: plans.compute, created_at },
    gpu: req.gpu,
    image: req.image,
    command: req.command,
    ports: req.ports,
    metadata: req.metadata,
    desired: { replicas: req.replicas ?? 1 },
    request_id: values.get(requestIdKey),
    ...tracedBy(values),
    ...(hasSecrets && { secrets: cipher.seal(JSON.stringify(secrets), sealedFor({ tenant, id })) }),
    ...(req.name !== undefined && { name: req.name }),
    ...(req.volumeGb !== undefined && { volume_gb: req.volumeGb }),
    ...(req.maxLifetimeS !== undefined && {
      max_lifetime_s: req.maxLifetimeS,
      expires_at: created_at + req.maxLifetimeS * 1_000,
    }),
  }
}

/** Names the setting that provides an engine. */
const noDriver = () =>
  fail(
    'engine_unavailable',
    'Instances need a container engine, and none is configured: set `MILLHAND_INSTANCE_DRIVER` to `docker` or `kubernetes`.',
  )

const tooMany = (most: number) =>
  fail('concurrency_limited', `The account has ${most} instances, which is as many as its plan allows.`, {
    retryAfterS: 10,
  })
