import { setTimeout } from 'node:timers/promises'
import type { Log } from '@millhand/telemetry'
import { checkIntegrity, problemsOf } from './integrity.ts'
import type { StoreState } from './store-state.ts'

const CHECK_WAIT_MS = 10_000
const CHECK_MS = 300_000

/** The check of an open store's pages, beside all other calls. What it finds is set as the damage of the store. */
export class PageCheck {
  readonly #file: string
  readonly #state: StoreState
  readonly #log: Log | undefined
  readonly #closing = new AbortController()
  #checking: Promise<void> | undefined

  constructor(file: string, state: StoreState, log: Log | undefined) {
    this.#file = file
    this.#state = state
    this.#log = log
  }

  /** Idempotent. A check that can't be made, as where no process can be started, keeps nobody from the store. */
  begin(): void {
    this.#checking ??= this.#check().catch(error => this.#log?.warn('store.check_failed', { error }))
  }

  /** Resolves when it is done, or after 10 s. */
  async wait(): Promise<void> {
    const limit = setTimeout(CHECK_WAIT_MS, undefined, { ref: false, signal: this.#closing.signal })
    await Promise.race([this.#checking, limit.catch(() => {})])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#checking
  }

  async #check(): Promise<void> {
    const { signal } = this.#closing
    const limit = AbortSignal.timeout(CHECK_MS)
    const report = await checkIntegrity(this.#file, 'quick_check', AbortSignal.any([signal, limit]))
    const [problem] = problemsOf(report)
    if (problem !== undefined) this.#state.setDamage(problem)
    if (report.unfinished === undefined || signal.aborted) return
    const checked = report.tables.map(({ table }) => table)
    this.#log?.warn('store.check_unfinished', { why: report.unfinished, checked })
  }
}
