/** An IdempotencyService in memory, to see what the gateway makes of idempotency keys. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type {
  IdempotencyService,
  ReserveResponseSchema,
  StoredAnswer,
} from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'

interface Kept {
  readonly fingerprint: string
  readonly operation: string
  holder: string | undefined
  answer: StoredAnswer | undefined
}

export class FakeIdempotency {
  /** By the key's digest in hexadecimal. */
  readonly kept = new Map<string, Kept>()
  /** What was called, in its order. */
  readonly calls: string[] = []
  /** The calls that fail because nobody can answer. */
  away: ReadonlySet<string> = new Set()
  /** What every call fails with. */
  failure: unknown
  /** Called when a key is looked up. */
  onReserve: () => void = () => {}
  #operations = 0

  readonly implementation: Partial<ServiceImpl<typeof IdempotencyService>> = {
    reserve: ({ keySha256, fingerprint, holder }): MessageInitShape<typeof ReserveResponseSchema> => {
      this.#called('reserve')
      this.onReserve()
      const key = hex(keySha256)
      const kept = this.kept.get(key) ?? {
        fingerprint: hex(fingerprint),
        operation: `01jd7x8f2wfyqs3m6k9v${String(++this.#operations).padStart(6, '0')}`,
        holder: undefined,
        answer: undefined,
      }
      this.kept.set(key, kept)
      if (kept.fingerprint !== hex(fingerprint)) return { outcome: { case: 'mismatch', value: {} } }
      if (kept.answer !== undefined) return { outcome: { case: 'answered', value: kept.answer } }
      if (kept.holder !== undefined && kept.holder !== holder) return { outcome: { case: 'runningMs', value: 1_000 } }
      kept.holder = holder
      return { outcome: { case: 'begun', value: { id: kept.operation, leaseMs: 10_000 } } }
    },
    renew: ({ keySha256, holder }) => {
      this.#called('renew')
      return { held: this.kept.get(hex(keySha256))?.holder === holder }
    },
    complete: ({ keySha256, holder, answer, operation }) => {
      this.#called('complete')
      const kept = this.kept.get(hex(keySha256))
      if (kept?.operation !== operation) return { lost: true }
      if (kept.answer !== undefined) return { instead: kept.answer }
      if (kept.holder !== holder) return { lost: true }
      kept.answer = answer
      return {}
    },
    release: ({ keySha256, holder, forget }) => {
      this.#called(forget ? 'forget' : 'release')
      const key = hex(keySha256)
      const kept = this.kept.get(key)
      if (kept?.holder !== holder) return {}
      if (forget) this.kept.delete(key)
      else kept.holder = undefined
      return {}
    },
    reopen: ({ operation }) => {
      this.#called('reopen')
      for (const kept of this.kept.values()) if (kept.operation === operation) kept.answer = kept.holder = undefined
      return {}
    },
  }

  /** The only key there is. */
  get only(): Kept {
    const [kept, ...others] = this.kept.values()
    if (kept === undefined || others.length > 0) throw new Error(`${this.kept.size} keys are kept`)
    return kept
  }

  #called(what: string) {
    this.calls.push(what)
    if (this.failure !== undefined) throw this.failure
    if (this.away.has(what)) throw fail('unavailable', 'Nobody is there.')
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
