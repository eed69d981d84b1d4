/** `/status`: how the deployment does now, and how it did in the last 90 days. Needs no key. */
import { formatMs } from '@millhand/api'
import type { Day } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Endpoint } from '../../pipeline/match.ts'
import type { Components } from '../../status/components.ts'
import { errorBudget } from '../../status/error-budget.ts'
import type { History } from '../../status/history.ts'
import { type TargetName, targets } from '../../status/targets.ts'
import { negotiated } from '../content-negotiation.ts'
import type { Status } from './status-document.ts'
import { writeStatus } from './status-html.ts'
import { measuredBy, uptimeOf } from './uptime.ts'

export interface StatusDeps {
  readonly components: Components
  readonly history: () => Promise<History>
  readonly clock: Clock
}

export function statusPage({ components, history, clock }: StatusDeps): Endpoint {
  async function look(): Promise<Status> {
    const { days, isCurrent } = await history()
    const now = components.now().toSorted((a, b) => Number(b.name === GATEWAY) - Number(a.name === GATEWAY))
    const target = (name: TargetName, measure: (day: Day) => [total: number, missed: number]) => ({
      name,
      target: targets[name],
      error_budget: errorBudget(days, clock.now(), targets[name], measure),
      ...measuredBy(days, clock.now(), measure),
    })
    return {
      object: 'status',
      status: now.every(({ isUp }) => isUp) ? 'operational' : 'degraded',
      updated_at: formatMs(clock.now()),
      history_is_current: isCurrent,
      components: now.map(({ name, isUp, since }) => ({
        name,
        status: isUp ? 'up' : 'down',
        since: formatMs(since),
        ...uptimeOf(days, name, clock.now()),
      })),
      targets: [
        target('answered', ({ requests, failed }) => [requests, failed]),
        target('fast', ({ timed, slow }) => [timed, slow]),
      ],
    }
  }

  let looked = Number.NEGATIVE_INFINITY
  let status: Promise<Status>
  return negotiated<Status>({
    path: '/status',
    content() {
      const now = clock.monotonic()
      if (now - looked >= KEPT_MS) {
        looked = now
        status = look()
      }
      return status
    },
    write: writeStatus,
  })
}

/** Anybody may ask, as often as they like, and the page takes milliseconds to write. */
const KEPT_MS = 1_000

/** Stands first: it is what answers. */
const GATEWAY = 'gateway'
