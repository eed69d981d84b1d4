/** The components of the deployment as this gateway sees them, and how long each was up. */
import type { Clock, Health } from '@millhand/process'

interface Component {
  readonly name: string
  readonly isUp: boolean
  /** Since when it is as it is, in milliseconds since 1970; where that was so at the start, since the start. */
  readonly since: number
}

interface Uptime {
  readonly name: string
  readonly upMs: number
  readonly downMs: number
}

export interface Components {
  /** Samples the state of each component; times are as exact as this is called often. */
  sample(): void
  /** As they are now. */
  now(): readonly Component[]
  /** How long each was up and down since the last call. */
  take(): readonly Uptime[]
}

export function createComponents(healths: readonly Pick<Health, 'ready'>[], clock: Clock): Components {
  const parts = new Map<string, Part>()

  function sample() {
    const now = clock.monotonic()
    for (const [check, { ready }] of healths.flatMap(health => Object.entries(health.ready().checks))) {
      const name = names.get(check) ?? check
      const part = parts.get(name)
      if (part === undefined) {
        parts.set(name, { name, isUp: ready, since: clock.now(), seenAt: now, upMs: 0, downMs: 0 })
        continue
      }
      part[part.isUp ? 'upMs' : 'downMs'] += now - part.seenAt
      part.seenAt = now
      if (part.isUp === ready) continue
      part.isUp = ready
      part.since = clock.now()
    }
  }

  return {
    sample,
    now() {
      sample()
      return [...parts.values()]
    },
    take() {
      sample()
      return [...parts.values()].map(part => {
        const { name, upMs, downMs } = part
        part.upMs = 0
        part.downMs = 0
        return { name, upMs, downMs }
      })
    },
  }
}

/** What a check of this process is called from outside. */
const names = new Map([['http', 'gateway']])

interface Part {
  readonly name: string
  isUp: boolean
  since: number
  /** By the monotonic clock. */
  seenAt: number
  upMs: number
  downMs: number
}
