/** Whether the store can be used, as its own calls have found. */
import type { Log } from '@millhand/telemetry'
import { damaged, faultOf, noRoom, StoreDamaged, unreadable } from './faults.ts'

export class StoreState {
  readonly #file: string
  readonly #log: Pick<Log, 'error'> | undefined
  #damage: StoreDamaged | undefined
  #failure: Error | undefined

  constructor(file: string, log: Pick<Log, 'error'> | undefined) {
    this.#file = file
    this.#log = log
  }

  get damage(): StoreDamaged | undefined {
    return this.#damage
  }

  /** Why the last read failed, until `worked`. */
  get failure(): Error | undefined {
    return this.#failure
  }

  worked(): void {
    this.#failure = undefined
  }

  /** From now on every call is refused: what it would answer may be wrong. */
  setDamage(what: string, cause?: unknown): StoreDamaged {
    if (this.#damage !== undefined) return this.#damage
    this.#damage = new StoreDamaged(this.#file, what, { cause })
    this.#log?.error('store.damaged', { file: this.#file, problem: what, error: this.#damage })
    return this.#damage
  }

  /** The error with which every call is refused, if it is. */
  refusal(): Error | undefined {
    return this.#damage && damaged(this.#damage)
  }

  /** What a caller is told of an error of SQLite or of the disk; any other as it is. */
  explain(error: unknown): unknown {
    switch (faultOf(error)) {
      case 'damaged':
        return damaged(this.setDamage((error as Error).message, error))
      case 'full':
        return noRoom(error)
      case 'unreadable':
        this.#failure = error as Error
        return unreadable(error)
      case undefined:
        return error
    }
  }
}
