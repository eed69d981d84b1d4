import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type {
  DeleteInstanceRequest,
  Instance,
  ScaleInstanceRequest,
} from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { operationKey, principal } from '@millhand/rpc'
import { isEnding, requireInstance } from '../instance.ts'
import type { InstanceDeps } from '../instance-deps.ts'
import { instanceMessage } from '../instance-message.ts'
import { changeInstance } from '../instance-store.ts'

/** Asks for another number of replicas. Fails with `invalid_state` for an instance that ends or has ended. */
export const scaleInstance =
  (deps: InstanceDeps) =>
  async ({ id, replicas = 0 }: ScaleInstanceRequest, call: HandlerContext): Promise<Instance> => {
    const { instances, clock, prices, onRequested } = deps
    const { tenant } = principal(call)
    const operation = call.values.get(operationKey)
    const now = clock.now()
    const instance =
      (await changeInstance(deps, tenant, id, { kind: 'scale', replicas, operation, now })) ??
      (await requireInstance(instances, tenant, id))
    const isRepeated = operation !== undefined && instance.operations.includes(operation)
    if (isEnding(instance) && !isRepeated)
      throw fail('invalid_state', `The instance is \`${instance.status}\`: it can’t be scaled any more.`)
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
      (await changeInstance(deps, tenant, id, { kind: 'delete', now: clock.now() })) ??
      (await requireInstance(instances, tenant, id))
    onRequested()
    return instanceMessage(instance, prices)
  }
