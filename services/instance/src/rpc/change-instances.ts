import type { HandlerContext } from '@connectrpc/connect'
import { fail, spendingLimitReached } from '@millhand/api'
import type {
  DeleteInstanceRequest,
  Instance,
  ScaleInstanceRequest,
} from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { operationKey, principal, reachedLimitKey } from '@millhand/rpc'
import { isEnding, requireInstance } from '../instance.ts'
import type { InstanceDeps } from '../instance-deps.ts'
import { instanceMessage } from '../instance-message.ts'
import { changeInstance } from '../instance-store.ts'
import { tracedBy } from '../instance-trace.ts'

/**
 * Asks for another number of replicas. Fails with `invalid_state` for an instance that ends or has ended, and with
 * `spending_limit_reached` for more replicas than are desired, where the limit is reached: fewer save money.
 */
export const scaleInstance =
  (deps: InstanceDeps) =>
  async ({ id, replicas = 0 }: ScaleInstanceRequest, call: HandlerContext): Promise<Instance> => {
    const { instances, clock, prices, onRequested } = deps
    const { tenant } = principal(call)
    const operation = call.values.get(operationKey)
    const reached = call.values.get(reachedLimitKey)
    const asked = { replicas, operation, isLimited: reached !== undefined }
    const cause = { kind: 'scale', ...asked, ...tracedBy(call.values), now: clock.now() } as const
    const instance = (await changeInstance(deps, tenant, id, cause)) ?? (await requireInstance(instances, tenant, id))
    const isRepeated = operation !== undefined && instance.operations.includes(operation)
    if (isEnding(instance) && !isRepeated)
      throw fail('invalid_state', `The instance is \`${instance.status}\`: it can’t be scaled any more.`)
    if (reached !== undefined && !isRepeated && replicas > instance.desired.replicas)
      throw spendingLimitReached(reached)
    onRequested()
    return instanceMessage(instance, prices)
  }

/** Ends an instance; the reconciler ends its replicas. Idempotent. */
export const deleteInstance =
  (deps: InstanceDeps) =>
  async ({ id }: DeleteInstanceRequest, call: HandlerContext): Promise<Instance> => {
    const { instances, clock, prices, onRequested } = deps
    const { tenant } = principal(call)
    const instance =
      (await changeInstance(deps, tenant, id, { kind: 'delete', ...tracedBy(call.values), now: clock.now() })) ??
      (await requireInstance(instances, tenant, id))
    onRequested()
    return instanceMessage(instance, prices)
  }
