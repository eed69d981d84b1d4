/** How far the readers of the event log of a server are, by its metrics. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '@millhand/test-e2e/server'

const behind = /^millhand_(?:event_reader|webhook_intake)_behind_events(?:\{.*\})? (\d+)$/gm

/** Events that the reader furthest behind has not looked at. */
export async function mostBehind({ metrics }: Pick<Server, 'metrics'>): Promise<number> {
  if (metrics === undefined) throw new Error('The server shows no metrics.')
  const text = await (await fetch(`${metrics}/metrics`)).text()
  return Math.max(...[...text.matchAll(behind)].map(([, events]) => Number(events)))
}

/** Resolves once all have read all. */
export async function readersAtEnd(server: Pick<Server, 'metrics'>): Promise<void> {
  while ((await mostBehind(server)) > 0) await sleep(500)
}
