/** Request rates of accounts, shared between gateways: what the owner keeps of them, in memory alone. */
import { randomUUID } from 'node:crypto'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type TakePlacesRequest,
  type TakePlacesResponse,
  TakePlacesResponseSchema,
  type WindowAnswerSchema,
  type WindowRequest,
} from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import type { Clock } from '@millhand/process'
import { SlidingWindow, WINDOW_MS, WindowMap } from '@millhand/rate'

/**
 * Of a plan, how much gateways may hold ahead, all together. A place ahead may be used that nobody has heard of yet, and
 * it counts from when it was given, up to a second early: either overshoots a window by as many, so both by 4 %. What
 * answers take on their way is the fifth.
 */
const AHEAD_SHARE = 0.02

/** One life of the owner: another one knows nothing of this. */
export class RateWindows {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #epoch = randomUUID()
  /** Those heard of within the last 60 seconds. */
  readonly #gateways = new Map<string, Heard>()
  readonly #windows = new WindowMap(
    () => new Owned(),
    (owned, now) => owned.isIdle(now),
  )

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  get size(): number {
    return this.#windows.size
  }

  take({ gatewayId, epoch, call, windows }: TakePlacesRequest): TakePlacesResponse {
    const now = this.#clock.monotonic()
    for (const [id, { at }] of this.#gateways) if (at <= now - WINDOW_MS) this.#gateways.delete(id)
    const heard = this.#gateways.get(gatewayId) ?? { at: now, call: 0n, answer: undefined }
    heard.at = now
    this.#gateways.set(gatewayId, heard)
    const told = { epoch: this.#epoch, gateways: this.#gateways.size }
    if (epoch !== this.#epoch) {
      return create(TakePlacesResponseSchema, { ...told, windows: windows.map(() => ({})), tellRecent: true })
    }
    // Nobody waits any more for the answer to one before it.
    if (heard.answer !== undefined && call <= heard.call) return heard.answer
    const take = (asked: WindowRequest) =>
      this.#windows.get(asked.window, now).take(asked, gatewayId, this.#gateways.size, now)
    heard.call = call
    heard.answer = create(TakePlacesResponseSchema, { ...told, windows: windows.map(take) })
    return heard.answer
  }
}

/** What is known of a gateway. */
interface Heard {
  at: number
  /** The last call that was taken, and what it was answered. */
  call: bigint
  answer: TakePlacesResponse | undefined
}

type WindowAnswer = MessageInitShape<typeof WindowAnswerSchema>

/** One window. */
class Owned {
  /** When places were given, those ahead too. */
  readonly #given = new SlidingWindow()
  /** What each gateway was last given; of one that has died, until it leaves the window. */
  readonly #latest = new Map<string, { readonly ahead: number; readonly givenAt: number }>()

  isIdle(now: number): boolean {
    return this.#given.countAt(now) === 0
  }

  take(asked: WindowRequest, gatewayId: string, gateways: number, now: number): WindowAnswer {
    const { limit } = asked
    this.#hear(asked, gatewayId, now)
    const held = this.#heldPlaces(now)
    // What is held may come back, so that it is no reason to refuse anybody.
    const used = Math.max(0, this.#given.countAt(now) - held)
    const granted = Math.min(asked.needed, Math.max(0, limit - used))
    if (granted > 0) this.#given.add(now, granted)

    const share = Math.floor(limit * AHEAD_SHARE)
    const room = Math.min(share - held, Math.ceil(share / gateways), limit - used - granted - held)
    const ahead = Math.max(0, Math.min(asked.ahead, room))
    if (ahead > 0) this.#given.add(now, ahead)
    if (granted + ahead > 0) this.#latest.set(gatewayId, { ahead, givenAt: now })

    const taken = used + granted
    const untilOneMore = (all: number) => Math.ceil(this.#given.leavesIn(Math.max(0, all - limit), now))
    return {
      granted,
      ahead,
      remaining: Math.max(0, limit - taken),
      nextFreeMs: taken === 0 ? 0 : untilOneMore(taken),
      freeByMs: taken === 0 ? 0 : untilOneMore(taken + held + ahead),
    }
  }

  /** What a gateway says of its past. */
  #hear({ returned, recent }: WindowRequest, gatewayId: string, now: number) {
    const latest = this.#latest.get(gatewayId)
    this.#latest.delete(gatewayId)
    if (latest !== undefined && returned > 0) this.#given.remove(latest.givenAt, returned)
    // Within its second, nobody knows when: the middle is wrong by half of one.
    for (const [age, requests] of recent.entries()) this.#given.add(now - age * 1000 - 500, requests)
  }

  /** What gateways may hold without a request. */
  #heldPlaces(now: number): number {
    let places = 0
    for (const [gatewayId, { ahead, givenAt }] of this.#latest) {
      if (givenAt <= now - WINDOW_MS) this.#latest.delete(gatewayId)
      else places += ahead
    }
    return places
  }
}
