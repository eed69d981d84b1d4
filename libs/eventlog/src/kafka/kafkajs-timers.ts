/**
 * kafkajs 2.2.4 wakes up every millisecond for each connection that has been used once: its check for requests that
 * wait plans the next check though none wait (tulios/kafkajs#1704, fixed there in #1667, which was never released).
 * An idle process took 3 % of a core for each connection (measured), and Node warns of the negative delay.
 */
import { createRequire } from 'node:module'

interface RequestQueue {
  readonly pending: readonly unknown[]
  scheduleCheckPendingRequests(): void
}

const { prototype: queue } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
  readonly prototype: RequestQueue
}
const plan = queue.scheduleCheckPendingRequests

queue.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) plan.call(this)
}
