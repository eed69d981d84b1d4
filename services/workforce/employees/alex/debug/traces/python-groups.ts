/** Exceptions of Python that hold others: groups, which hold groups themselves. https://peps.python.org/pep-0654/ */
import type { Thrown } from './trace.ts'

/** A traceback, or a member of a group. */
export interface Exceptions {
  /** Of its border; -1 for what is no member. */
  readonly column: number
  /** What went wrong first stands first; the others are what it was made into. */
  readonly thrown: Holding[]
  /** Of what is not named yet. */
  frames: Thrown['frames'][number][]
  /** What was being handled when it went wrong. */
  handled?: Thrown | undefined
  /** How many exceptions Python says here that it leaves out. */
  left: number
}

interface Holding extends Thrown {
  readonly members: Exceptions[]
}

/** What went wrong first, with what it was made into: of a group that of one of its members, with the group behind it. */
export function startOf({ thrown, handled }: Exceptions): {
  readonly chain: Thrown[]
  readonly handled?: Thrown | undefined
} {
  const starts = thrown.map(one => {
    const member = chosenOf(one)
    return { one, inner: member && startOf(member) }
  })
  const chain = starts.flatMap(({ one, inner }) => [...(inner?.chain ?? []), bare(one)])
  return { chain, handled: starts.find(({ inner }) => inner?.handled)?.inner?.handled ?? handled }
}

/** All others that went wrong first in a member of its groups, and how many are not in the trace. */
export function othersOf({ thrown }: Exceptions): { readonly thrown: Thrown[]; readonly left: number } {
  const all = thrown.flatMap(one => {
    const chosen = chosenOf(one)
    return one.members.map(member => (member === chosen ? othersOf(member) : allOf(member)))
  })
  return joined(all)
}

function allOf(exceptions: Exceptions): ReturnType<typeof othersOf> {
  const [first] = startOf(exceptions).chain
  return joined([{ thrown: first ? [first] : [], left: exceptions.left }, othersOf(exceptions)])
}

const joined = (parts: readonly ReturnType<typeof othersOf>[]): ReturnType<typeof othersOf> => ({
  thrown: parts.flatMap(({ thrown }) => thrown),
  left: parts.reduce((sum, { left }) => sum + left, 0),
})

/** The first member that failed in the project's own code, else the first that is told. */
function chosenOf({ members }: Holding): Exceptions | undefined {
  const told = members.filter(({ thrown }) => thrown.length > 0)
  return told.find(isOwn) ?? told[0]
}

const isOwn = ({ thrown }: Exceptions): boolean =>
  thrown.some(
    ({ frames, members }) => frames.some(({ owner }) => owner === 'own') || members.some(member => isOwn(member)),
  )

const bare = ({ type, message, frames }: Holding): Thrown => ({ type, message, frames })
