import { fail } from '@millhand/api'
import {
  type AdmitExecutorRequest,
  type AdmitExecutorResponse,
  type CheckExecutorRequest,
  type CheckExecutorResponse,
  CheckExecutorResponse_Standing as WireStanding,
} from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { isExecutor, readJoinCredential, requireMayJoin, type Standing, standingOf } from '../executors.ts'
import type { InstanceDeps } from '../instance-deps.ts'

/** Says whose join credential this is. */
export const admitExecutor =
  ({ instances, cipher, clock, executors }: InstanceDeps) =>
  async ({ credential }: AdmitExecutorRequest): Promise<AdmitExecutorResponse> => {
    const replica = readJoinCredential(cipher, credential)
    const instance = await instances.get(replica.tenant, replica.instance)
    requireMayJoin(instance, replica.generation, clock.now())
    if (instance === undefined || !isExecutor(executors, instance))
      throw fail('revoked_credentials', 'The image of this instance is not that of executors any more.')
    return {
      $typeName: 'millhand.instance.v1.AdmitExecutorResponse',
      replica: { $typeName: 'millhand.instance.v1.ExecutorReplica', ...replica },
    }
  }

/** Says what a replica may do that has joined. */
export const checkExecutor =
  ({ instances }: InstanceDeps) =>
  async ({ replica }: CheckExecutorRequest): Promise<CheckExecutorResponse> => {
    const { tenant = '', instance: id = '', generation = 0 } = replica ?? {}
    const standing = standingOf(await instances.get(tenant, id), generation)
    return { $typeName: 'millhand.instance.v1.CheckExecutorResponse', standing: standings[standing] }
  }

const standings: Readonly<Record<Standing, WireStanding>> = {
  active: WireStanding.ACTIVE,
  stopping: WireStanding.STOPPING,
  gone: WireStanding.GONE,
}
