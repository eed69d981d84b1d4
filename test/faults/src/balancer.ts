/** A load balancer as simple as they get: it asks each server for its readiness, and repeats nothing. */
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '@millhand/test-e2e/http'

export interface Balancer extends AsyncDisposable {
  readonly isOpen: boolean
  /** A server that was ready when it was asked last, in turns; undefined while none is. */
  pick(): string | undefined
  /** Resolves when every server is ready. */
  settled(): Promise<void>
  /** Asks no more. */
  close(): void
}

const ASK_EVERY_MS = 250
const ANSWER_MS = 2_000

/** Resolves when it has asked every server once. */
export async function createBalancer(urls: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>()
  const ending = new AbortController()
  let turn = 0

  const ask = async (url: string) => {
    const answer = await send('GET', `${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined)
    if (answer?.status === 200) ready.add(url)
    else ready.delete(url)
  }
  const watch = async (url: string) => {
    while (!ending.signal.aborted) {
      await pause(ASK_EVERY_MS, undefined, { signal: ending.signal }).catch(() => {})
      await ask(url)
    }
  }
  await Promise.all(urls.map(ask))
  const watching = urls.map(watch)

  return {
    get isOpen() {
      return !ending.signal.aborted
    },
    pick() {
      const all = urls.filter(url => ready.has(url))
      return all[turn++ % all.length]
    },
    async settled() {
      while (ready.size < urls.length) await pause(ASK_EVERY_MS)
    },
    close: () => ending.abort(),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.all(watching)
    },
  }
}
