/** What a replica may take of its host. */
export interface ReplicaSize {
  /** Processors; may be a fraction. */
  readonly cpus: number
  readonly memoryBytes: number
  /** Processes and threads. */
  readonly pids: number
}

/** By GPU type, and for `cpu`. A type without a size runs nowhere. */
export type ReplicaSizes = Readonly<Record<string, ReplicaSize>>
