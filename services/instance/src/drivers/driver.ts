/**
 * The port to what runs replicas: a container engine, a cluster or a mock. A driver keeps nothing that it could lose:
 * what it must know of a replica is in the engine, as labels. Several processes may use the same engine; a driver sees
 * the replicas of its own deployment alone.
 */

export interface Driver {
  /**
   * Starts what `replica` describes, on a host that the driver chooses, and resolves when the engine has started it.
   * Idempotent by `replica.name`: a replica of this name that has run is left alone, one that was not started yet is
   * started. What fails leaves nothing behind. Throws `DriverFault`.
   */
  create(replica: ReplicaSpec, options: CreateOptions): Promise<CreatedReplica>

  /**
   * Ends a replica with SIGTERM, then after the grace time with SIGKILL, and removes it with its volume; one that is
   * not there counts as removed. `host` is where it was observed; without it all hosts are searched, and all must
   * answer. A host that the operator has taken out of the configuration counts as empty. Throws `DriverFault` with
   * `unavailable` where a host does not answer.
   */
  remove(replica: { readonly name: string; readonly host?: string }, signal: AbortSignal): Promise<void>

  /**
   * Ends a replica as `remove` does, and keeps it, so that the engine's record of its end outlives both the engine and the service
   * until it is removed. Of engines whose `remove` loses that record.
   */
  stop?(replica: { readonly name: string; readonly host: string }, signal: AbortSignal): Promise<void>

  /** All replicas of this deployment, in any state, as the engine reports them now. */
  list(signal: AbortSignal): Promise<Observation>

  /**
   * When replicas of a host have ended, in milliseconds since 1970, by name: as far back as the engine remembers, also of
   * those that are not there any more. Throws `DriverFault` with `unavailable`.
   */
  ends(host: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>>

  /**
   * Calls `changed` soon after a replica or a host may have changed, until it is disposed. Calls may be spurious, and
   * a change that comes while the engine is away is told once it is back.
   */
  watch(changed: () => void): Disposable

  /**
   * The lines that a replica has written, oldest first; with `follow` also those to come, until it ends. Throws
   * `DriverFault` with `not_found` or `unavailable`.
   */
  logs(name: string, options: LogOptions, signal: AbortSignal): AsyncIterable<LogLine>

  /**
   * What the hosts that answer have: an entry for `cpu`, and one for each GPU type. Hosts in `lost` count as lost, also
   * where they answer again.
   */
  capacity(signal: AbortSignal, lost?: ReadonlySet<string>): Promise<readonly Capacity[]>

  /**
   * Of an engine that ends with the process alone: it runs what the records say, and nothing else. Each owner calls it
   * once, before it observes.
   */
  restore?(replicas: readonly RestoredReplica[]): void
}

export interface CreateOptions {
  readonly signal: AbortSignal
  /** Ends the pull of the image: the call rejects and has made nothing. Once the image is there it has no effect. */
  readonly cancelled?: AbortSignal
  /** How far the image is pulled, at most once a second. */
  readonly onPull?: (progress: PullProgress) => void
}

export interface CreatedReplica {
  readonly host: string
}

/** Who a replica is. The engine keeps it in labels, and every observation has it. */
export interface ReplicaIdentity {
  /** Unique in the deployment and never used twice, so it includes the generation: `[a-z0-9-]{1,63}`. */
  readonly name: string
  /** `<account>/<mode>`. Replicas of one tenant reach each other by name, and nobody else's. */
  readonly tenant: string
  /** `inst_…`. */
  readonly instance: string
  /** Position in the instance, from 0. */
  readonly index: number
  /** Counts the replicas that the instance has had at this index. */
  readonly generation: number
  /** `cpu`, or a GPU type. */
  readonly gpu: string
}

export interface ReplicaSpec extends ReplicaIdentity {
  /** An image reference, such as `ghcr.io/acme/server:1.2`. */
  readonly image: string
  /** For the image's registry; it is used once and stored nowhere. */
  readonly registryCredential?: RegistryCredential
  /** Replaces the image's entry point and its arguments. */
  readonly command?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly ports: readonly PublishedPort[]
  /** A writable volume of this many GB at `/data`, which goes with the replica. Everything else is read-only or in memory. */
  readonly volumeGb?: number
  /** Whether it is an executor of the deployment: then it reaches compute, and nothing of its tenant. */
  readonly isExecutor?: boolean
}

/** A replica that ran, by its record. */
export interface RestoredReplica extends Omit<ReplicaSpec, 'env' | 'registryCredential' | 'command' | 'volumeGb'> {
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

export interface RegistryCredential {
  readonly username: string
  readonly password: string
}

export interface PublishedPort {
  /** TCP, in the container. */
  readonly port: number
  /** The port of the host; the engine chooses a free one where it is not given. */
  readonly hostPort?: number
}

export interface Observation {
  readonly replicas: readonly ObservedReplica[]
  /** Hosts that do not answer. Replicas that were last observed there are in an unknown state, not gone. */
  readonly lostHosts: readonly string[]
}

export interface ObservedReplica extends ReplicaIdentity {
  readonly host: string
  /**
   * `creating` until its process has been started. `exited` is final. `unknown`: the engine knows of it, but the machine that it
   * is on does not answer, so it may run on or not.
   */
  readonly state: 'creating' | 'pulling' | 'running' | 'exited' | 'unknown'
  /** When its process was started, by the engine's clock, in milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
  readonly exitCode?: number
  /** Why it has ended, where the engine knows more than the exit code. */
  readonly reason?: 'out_of_memory' | 'command_not_found' | 'port_taken' | 'image_not_found' | 'replica_lost'
  /** Where its published ports are reached, without a port. */
  readonly address?: string
  /** Published ports, `hostPort` filled in. */
  readonly ports: readonly PublishedPort[]
}

export interface PullProgress {
  readonly doneBytes: number
  /** Grows while the engine learns of further layers. */
  readonly totalBytes: number
}

export interface LogOptions {
  readonly follow: boolean
  /** Of the lines written so far only this many, the newest. */
  readonly tail?: number
  /** Lines written at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Lines after the one with this `id`: continues where a reader stopped. */
  readonly after?: string
}

export interface LogLine {
  /** Unique in the replica and in order: the engine's time with nanoseconds, and a count where lines share it. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly stream: 'stdout' | 'stderr'
  /** Without the line's end. Longer lines than 16 KiB are cut. */
  readonly text: string
}

export interface Capacity {
  /** `cpu`, or a GPU type. */
  readonly gpu: string
  /** Replicas that fit on all hosts, and how many more fit now. */
  readonly total: number
  readonly free: number
  /** Main memory of one replica. */
  readonly memoryBytes: number
}

export type FaultReason =
  | 'image_not_found'
  /** The registry refuses the credential, or asks for one. */
  | 'image_denied'
  /** The operator's list does not have the image's registry. */
  | 'registry_not_allowed'
  | 'registry_unavailable'
  | 'image_too_large'
  | 'command_not_found'
  | 'no_capacity'
  | 'port_taken'
  /** No host can publish ports. */
  | 'ports_unsupported'
  /** No host can bound a volume. */
  | 'volume_unsupported'
  /** No host lets executors reach compute. */
  | 'executors_unsupported'
  | 'not_found'
  /** The engine does not answer; the same call may succeed later. */
  | 'unavailable'
  /** The engine refuses for a reason that we do not know. */
  | 'engine_error'

export class DriverFault extends Error {
  override readonly name = 'DriverFault'
  readonly reason: FaultReason

  /** `message` may be shown to the user: it holds no address of a host and no secret. */
  constructor(reason: FaultReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
