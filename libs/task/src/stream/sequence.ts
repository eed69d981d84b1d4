/** One number orders everything that a task's stream tells: its sequence number. docs/decisions/task-streams.md, "The sequence". */

/** How many things a run may emit: there are more sequence numbers than that between two versions. */
export const maxInRun = 1_000_000

const sequencesOfVersion = 2 ** 20

/** The sequence number of a change of state, by the `resource_version` that it made; with `n` of the nth thing that the run emits. */
export const sequenceOf = (version: number, n = 0): number => version * sequencesOfVersion + n
