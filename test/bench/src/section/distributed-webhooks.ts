/** Webhooks on processes of their own: how soon a healthy endpoint hears of a change of state. */
import { repository } from '@millhand/test-e2e/server'
import { run } from '@millhand/test-faults/webhooks'
import type { Figure } from '../figure.ts'
import type { Workbench } from '../workbench.ts'

const EVENTS_A_SECOND = 200
/** Both engines that compile while they run, Node's and the database's, take a minute of it until they are done. */
const WARM_UP_S = 60

/**
 * The storm on webhooks without its faults: 40 endpoints of four accounts, of which some are slow or fail. Timed is what happens
 * after a minute of the same load.
 */
export async function distributedWebhooks(workbench: Workbench): Promise<Figure[]> {
  const p50: number[] = []
  const p99: number[] = []
  const measuredS = workbench.seconds * 4
  for (let round = 0; round < workbench.rounds; round++) {
    const { figures, violations } = await run({
      seed: 500 + round,
      size: {
        events: EVENTS_A_SECOND * (WARM_UP_S + measuredS),
        warmUp: WARM_UP_S / (WARM_UP_S + measuredS),
        accounts: 4,
        eventsPerSecond: EVENTS_A_SECOND,
        mostFailures: 1,
        deliveredWithinMs: 150_000,
        strength: {
          kills: { 'webhook owner': 0, 'other webhook': 0, kafka: 0, mongo: 0 },
          pauses: { 'webhook owner': 0, kafka: 0, mongo: 0 },
          pauseMs: [0, 0],
          holds: 0,
          gapMs: [1_000, 1_000],
        },
      },
      root: repository,
      folder: workbench.folder(),
      say: () => {},
    })
    if (violations.length > 0) throw new Error(violations.slice(0, 5).join('\n'))
    p50.push(figures.calmMs.p50)
    p99.push(figures.calmMs.p99)
  }
  const name = `${EVENTS_A_SECOND} events/s, p99 from the change to a healthy endpoint`
  return [
    {
      section: 'webhooks',
      name,
      unit: 'ms',
      rounds: p99,
      aim: { most: 1_000 },
      limits: [{ name: 'p50', rounds: p50 }],
      details: {},
    },
  ]
}
