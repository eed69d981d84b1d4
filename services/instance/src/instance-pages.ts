/** What the reconciler of a mode reads of the store, a page at a time. */
import type { KeyMode } from '@millhand/api'
import type { InstanceRecord, Instances } from './instance.ts'

const PAGE = 1_000

export class InstancePages {
  readonly #instances: Instances
  readonly #mode: KeyMode
  /** Where the last page of changed instances ended. */
  #changedUpTo: string[] | undefined

  constructor({ instances, mode }: { readonly instances: Instances; readonly mode: KeyMode }) {
    this.#instances = instances
    this.#mode = mode
  }

  /** All that have not ended. */
  async *open(): AsyncGenerator<InstanceRecord> {
    let after: string[] | undefined
    do {
      const page = await this.#read('open', after)
      yield* this.#own(page)
      after = endOf(page)
    } while (after !== undefined)
  }

  /** Those that a method has changed: a page at each call, and the first again after the last. */
  async changed(): Promise<{ readonly instances: readonly InstanceRecord[]; readonly isAll: boolean }> {
    const after = this.#changedUpTo
    const page = await this.#read('requested', after)
    this.#changedUpTo = endOf(page)
    return { instances: this.#own(page), isAll: after === undefined && this.#changedUpTo === undefined }
  }

  #read(index: 'open' | 'requested', after: string[] | undefined): Promise<readonly InstanceRecord[]> {
    return this.#instances.find(index, { equals: [], limit: PAGE, ...(after && { after }) })
  }

  #own(page: readonly InstanceRecord[]): readonly InstanceRecord[] {
    return page.filter(({ mode }) => mode === this.#mode)
  }
}

/** Where a page ends, if another may follow it. */
function endOf(page: readonly InstanceRecord[]): string[] | undefined {
  const last = page.at(-1)
  return last === undefined || page.length < PAGE ? undefined : [last.tenant, last.id]
}
