/** How long replicas ran: slices that end at full hours, or with the run. */

/** A part of a run of a replica. Times are milliseconds since 1970. */
export interface Slice {
  readonly index: number
  readonly generation: number
  readonly from: number
  readonly to: number
}

interface Metered {
  readonly index: number
  readonly generation: number
  readonly metered_until: number
}

const HOUR_MS = 3_600_000

/** What is to be metered of a run that was seen running at `seenAt`: its full hours. */
export const fullHours = (run: Metered, seenAt: number): Slice[] => slices(run, Math.floor(seenAt / HOUR_MS) * HOUR_MS)

/** What is to be metered until `to`. */
export function slices({ index, generation, metered_until }: Metered, to: number): Slice[] {
  const found: Slice[] = []
  for (let from = metered_until; from < to; ) {
    const end = Math.min(to, nextHour(from))
    found.push({ index, generation, from, to: end })
    from = end
  }
  return found
}

/** The first full hour after a time. */
export const nextHour = (at: number): number => (Math.floor(at / HOUR_MS) + 1) * HOUR_MS
