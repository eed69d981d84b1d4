/** A subchannel, as gRPC calls it: keeps a tunnel to one replica open, and opens it again with backoff. */

import type { ConnectError } from '@connectrpc/connect'
import { backoff, type Clock, type Timer } from '@millhand/process'
import { unavailable } from './call-errors.ts'
import { ClientTunnel, type ReplicaTransport } from './client-tunnel.ts'

/** Between tries: milliseconds. */
const wait = { baseMs: 50, maxMs: 1_000 }

/** What became of the way to a replica. Every change is told once, not every try. */
export type ConnectivityEvent =
  | { readonly kind: 'connected' | 'draining'; readonly replica: number }
  /** A connected one lacks something it needs, or has it again. */
  | { readonly kind: 'unready' | 'serving'; readonly replica: number }
  | { readonly kind: 'lost'; readonly replica: number; readonly error: ConnectError }

export interface SubchannelOptions {
  readonly replica: ReplicaTransport
  /** The place of the replica among all, for events. */
  readonly index: number
  readonly clock: Clock
  readonly random: () => number
  readonly onEvent: (event: ConnectivityEvent) => void
  /** Calls can begin here. */
  readonly onRoom: () => void
}

export class Subchannel {
  readonly #options: SubchannelOptions
  /** The one that takes calls, or will. */
  #tunnel: ClientTunnel | undefined
  /** With those that only end their calls. */
  readonly #tunnels = new Set<ClientTunnel>()
  #state: 'new' | 'connected' | 'draining' | 'lost' = 'new'
  readonly #waitOf: (attempt: number) => number
  #failures = 0
  #retry: Timer | undefined
  #closed = false

  constructor(options: SubchannelOptions) {
    this.#options = options
    this.#waitOf = backoff({ ...wait, random: options.random })
  }

  /** Idempotent. */
  connect(): void {
    if (this.#closed || this.#tunnel !== undefined || this.#retry !== undefined) return
    const { replica, index, clock, onEvent, onRoom } = this.#options
    const tunnel: ClientTunnel = new ClientTunnel({
      replica,
      clock,
      onRoom,
      onReady: () => this.#ready(),
      onServes: serves => onEvent({ kind: serves ? 'serving' : 'unready', replica: index }),
      onGoAway: () => this.#leave(tunnel, 'draining'),
      onEnd: error => {
        this.#tunnels.delete(tunnel)
        this.#leave(tunnel, 'lost', error)
      },
    })
    this.#tunnel = tunnel
    this.#tunnels.add(tunnel)
    void tunnel.open()
  }

  /** The tunnel, where a call can begin in it now. */
  get tunnel(): ClientTunnel | undefined {
    return this.#tunnel?.accepts ? this.#tunnel : undefined
  }

  /** Whether the replica is connected, and said last that it has all it needs. */
  get serves(): boolean {
    return !this.#closed && this.#state === 'connected' && this.#tunnel?.serves === true
  }

  /** Cuts what is open; its calls fail `unavailable`. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    this.#retry?.cancel()
    const ended = [...this.#tunnels].map(tunnel => tunnel.ended)
    for (const tunnel of this.#tunnels) tunnel.cut(unavailable('the transport was closed'))
    await Promise.all(ended)
  }

  #ready(): void {
    this.#failures = 0
    if (this.#state !== 'connected') {
      this.#state = 'connected'
      this.#options.onEvent({ kind: 'connected', replica: this.#options.index })
    }
    this.#options.onRoom()
  }

  #leave(tunnel: ClientTunnel, state: 'draining'): void
  #leave(tunnel: ClientTunnel, state: 'lost', error: ConnectError): void
  #leave(tunnel: ClientTunnel, kind: 'draining' | 'lost', error?: ConnectError): void {
    if (this.#closed || this.#tunnel !== tunnel) return
    this.#tunnel = undefined
    const { clock, index: replica, onEvent } = this.#options
    this.#retry = clock.timer(this.#waitOf(++this.#failures), () => {
      this.#retry = undefined
      this.connect()
    })
    if (this.#state === 'lost' || (this.#state === 'draining' && kind === 'lost')) return
    this.#state = kind
    onEvent(error === undefined ? { kind: 'draining', replica } : { kind: 'lost', replica, error })
  }
}
