/** Events as the log of one process brings them. `TEST_ALL` makes them a million, of 200 accounts. */

import { describeOracle, type Processes } from './oracle.contract.ts'
import type { Arrival } from './oracle.fixture.ts'
import { eventOf } from './oracle-log.fixture.ts'

const full = process.env.TEST_ALL !== undefined
const EVENTS = full ? 1_000_000 : 6_000
/** Events that come at once. */
const BATCH = full ? 2_000 : 200

describeOracle('at once', { events: EVENTS, accounts: full ? 200 : 3, deaths: 30 }, async processes => {
  const delivered: Arrival[] = []
  const deliver = createDelivery(processes)
  return {
    async deliver(arrivals) {
      for (const arrival of arrivals) delivered.push(arrival)
      await deliver(arrivals)
    },
    deliverAgain: () => deliver(delivered),
    async [Symbol.asyncDispose]() {},
  }
})

/** Where a process dies, its place in the log was not stored: the next one begins earlier, so that batches end elsewhere. */
function createDelivery(processes: Processes) {
  let running = processes.start()
  return async (arrivals: readonly Arrival[]) => {
    for (let from = 0; from < arrivals.length; ) {
      const batch = arrivals.slice(from, from + BATCH)
      processes.reach((batch[0] as Arrival).at)
      try {
        await running.handle(batch.map(eventOf))
        from += BATCH
      } catch (error) {
        await processes.died(error)
        running = processes.start()
        from = Math.max(0, Math.floor(from - 1.5 * BATCH))
      }
    }
  }
}
