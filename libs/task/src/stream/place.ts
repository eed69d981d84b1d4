/** One number orders everything that a task's stream tells: its place. docs/decisions/task-streams.md, "The sequence". */

/** How many things a run may emit: there are more places than that between two versions. */
export const mostInRun = 1_000_000

const placesOfVersion = 2 ** 20

/** The place of a change of state, by the `resource_version` that it made; with `n` of the nth thing that the run emits. */
export const placeOf = (version: number, n = 0): number => version * placesOfVersion + n
