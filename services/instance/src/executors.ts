/** Executors in instances: replicas of the deployment's own executor image, which run the tasks of their account. docs/decisions/capacity-by-api.md */
import { fail, type SecretCipher } from '@millhand/api'
import type { InstanceRecord, Slot } from './instance.ts'

/** What the deployment's executors in instances are made of. */
export interface ExecutorImage {
  /** An image reference, as it has to be given in a create. */
  readonly image: string
  /** The address of compute, which is the only one that their network lets through. */
  readonly url: string
}

/** Identifies one start of a replica. */
export interface ExecutorReplica {
  readonly tenant: string
  readonly instance: string
  readonly generation: number
}

/** `active` may claim tasks, `stopping` may finish those that it has. */
export type Standing = 'active' | 'stopping' | 'gone'

/** How long after the start of its process a replica may join. */
const JOIN_MS = 300_000

/** Whether the instance runs executors. Those of the sandbox run nothing. */
export const isExecutor = (
  executors: ExecutorImage | undefined,
  { image, mode }: Pick<InstanceRecord, 'image' | 'mode'>,
): executors is ExecutorImage => executors !== undefined && mode === 'live' && image === executors.image

/** The environment of an executor's replica. Its join credential is stored nowhere. */
export const executorEnv = (cipher: SecretCipher, { url }: ExecutorImage, replica: ExecutorReplica) => ({
  MILLHAND_JOIN_URL: url,
  MILLHAND_JOIN_CREDENTIAL: PREFIX + cipher.seal(JSON.stringify(replica), PURPOSE),
})

/** The replica that a join credential was made for. Fails with `invalid_credentials`. */
export function readJoinCredential(cipher: SecretCipher, credential: string): ExecutorReplica {
  try {
    if (!credential.startsWith(PREFIX)) throw new Error('not a join credential')
    return JSON.parse(cipher.open(credential.slice(PREFIX.length), PURPOSE))
  } catch {
    throw fail('invalid_credentials', 'The join credential was not made by this deployment.')
  }
}

/** What the replica may do, by the record of its instance. */
export function standingOf(instance: InstanceRecord | undefined, generation: number): Standing {
  const state = slotOf(instance, generation)?.state
  switch (state) {
    case 'starting':
    case 'running':
    case 'unknown':
      return instance?.ending === undefined ? 'active' : 'stopping'
    case 'stopping':
      return 'stopping'
    default:
      return 'gone'
  }
}

/** Fails with `revoked_credentials` for a replica that is not to run, and with `expired_credentials` once it has run for too long. */
export function requireMayJoin(instance: InstanceRecord | undefined, generation: number, now: number): void {
  if (standingOf(instance, generation) !== 'active')
    throw fail('revoked_credentials', 'The replica of this join credential has ended.')
  const startedAt = slotOf(instance, generation)?.started_at
  if (startedAt !== undefined && now - startedAt > JOIN_MS)
    throw fail('expired_credentials', 'A join credential is valid for 5 minutes from the start of its replica.')
}

/** Each replica of an instance has a generation of its own. */
const slotOf = (instance: InstanceRecord | undefined, generation: number): Slot | undefined =>
  instance?.slots.find(slot => slot.generation === generation)

const PREFIX = 'mhj_'
const PURPOSE = 'join credential'
