/** One operation of an idempotency key, while this gateway holds it. */
import type { CallOptions, Client } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import type { Inbound } from '../inbound.ts'
import { CALL_MS } from '../pipeline/call.ts'
import type { BodyReply, Reply } from '../reply.ts'
import type { SealKeys } from './body-encryption.ts'
import { keepingOf } from './kept-answers.ts'
import { type Outcome, replyOf, storedReply } from './replay.ts'
import { retryWhileUnavailable } from './retry.ts'

/** The body could not be read, so the call was not completed and never will be. `cause` is the answer. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody'
}

/** The answer that a failure is, as it is kept. */
export type ReplyOfFailure = (error: unknown) => BodyReply

export interface OperationOptions {
  readonly client: Client<typeof IdempotencyService>
  readonly clock: Clock
  readonly exchange: Inbound
  readonly caller: Principal
  readonly callOptions: CallOptions
  readonly keySha256: Uint8Array
  readonly holder: string
  /** 26 characters. */
  readonly id: string
  readonly leaseMs: number
  /** Whether a good answer shows a secret. */
  readonly isSecret: boolean
  readonly sealKeys: SealKeys
  readonly replyOfFailure: ReplyOfFailure
}

export class Operation {
  readonly #options: OperationOptions

  constructor(options: OperationOptions) {
    this.#options = options
  }

  get id(): string {
    return this.#options.id
  }

  /**
   * Does the work while it holds the operation, and gives the answer that counts, which is stored. Fails as the work does
   * where that is not kept, with `idempotency_in_progress` where another gateway has taken over, and with `unavailable`
   * where nothing can be stored.
   */
  async settle(work: () => Promise<Outcome>): Promise<Reply> {
    using _ = this.#renewing()
    const outcome = await this.#outcomeOf(work)
    const { client, clock, exchange, callOptions, keySha256, holder, id, caller, isSecret, sealKeys } = this.#options
    const seal = isSecret && outcome.reply.status < 400 ? sealKeys : undefined
    const answer = await storedReply(outcome, seal)
    const request = { keySha256, holder, operation: id, answer }
    const { instead, lost } = await retryWhileUnavailable(
      clock,
      timeoutMs => client.complete(request, { ...callOptions, timeoutMs }),
      exchange.isTimed ? Math.max(KEEP_MS, exchange.leftOf(CALL_MS)) : undefined,
    ).catch(cause => {
      throw fail('unavailable', 'The answer can not be kept at the moment. Send the same again, with the same key.', {
        cause,
      })
    })
    if (lost) throw inProgress()
    return instead === undefined
      ? outcome.reply
      : await replyOf(instead, { caller, sealKeys, bodySha256: outcome.bodySha256 })
  }

  async #outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof UnreadableBody) {
        await this.#release(true)
        throw error.cause
      }
      const reply = this.#options.replyOfFailure(error)
      const keeping = keepingOf(error, reply.status)
      if (keeping === 'kept') return { reply }
      await this.#release(keeping === 'forgotten')
      throw error
    }
  }

  /** What is not let go is free when its lease ends. */
  async #release(forget: boolean): Promise<void> {
    const { client, callOptions, keySha256, holder } = this.#options
    await client.release({ keySha256, holder, forget }, { ...callOptions, timeoutMs: RELEASE_MS }).catch(() => {})
  }

  #renewing(): Disposable {
    const { client, clock, callOptions, keySha256, holder, leaseMs } = this.#options
    let isOver = false
    const everyMs = leaseMs / 3
    const renew = async () => {
      // One that fails is tried again in time; one that is not held is found out when it is completed.
      await client.renew({ keySha256, holder }, { ...callOptions, timeoutMs: everyMs }).catch(() => {})
      if (!isOver) timer = clock.timer(everyMs, renew)
    }
    let timer = clock.timer(everyMs, renew)
    return {
      [Symbol.dispose]() {
        isOver = true
        timer.cancel()
      },
    }
  }
}

export const inProgress = (ms = 1_000) =>
  fail('idempotency_in_progress', 'A request with this `Idempotency-Key` is being answered. Send it again later.', {
    retryAfterS: ms / 1_000,
  })

const RELEASE_MS = 1_000
/** Milliseconds at least to store an answer, however long the work took. */
const KEEP_MS = 2_000
