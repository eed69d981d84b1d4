/** Which process owned the deliveries when, by what the processes logged. Times are milliseconds since 1970. */

/** The time in which a process delivered. */
export interface Tenure {
  readonly began: number
  /** When nothing of it was under way any more: of a killed process at the latest its next start, else infinity. */
  readonly ended: number
}

/** Another tenure: what the owner before had under way is posted again. */
export interface Takeover {
  readonly began: number
  /** When the owners before had ended; later than `began` where one stood still and woke. */
  readonly over: number
}

/** The tenures of one process, from its whole log. */
export function tenuresOf(log: string): Tenure[] {
  const tenures: Tenure[] = []
  let began: number | undefined
  const end = (ended: number) => {
    if (began !== undefined) tenures.push({ began, ended })
    began = undefined
  }
  for (const line of log.split('\n')) {
    const started = /--- started (\S+)$/.exec(line)?.[1]
    if (started !== undefined) end(Date.parse(started))
    const [, time, change] = /"time":"([^"]+)".*"event":"ownership\.(begun|ended)"/.exec(line) ?? []
    if (time === undefined) continue
    if (change === 'begun') began = Date.parse(time)
    else end(Date.parse(time))
  }
  end(Number.POSITIVE_INFINITY)
  return tenures
}

/** Every tenure but the first, of all processes. */
export function takeoversOf(tenures: readonly Tenure[]): Takeover[] {
  const inOrder = tenures.toSorted((a, b) => a.began - b.began)
  return inOrder.slice(1).map(({ began }, before) => {
    const ends = inOrder.slice(0, before + 1).map(({ ended }) => ended)
    return { began, over: Math.max(began, ...ends) }
  })
}
