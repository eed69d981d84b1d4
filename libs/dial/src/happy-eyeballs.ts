/** The one place where a connection is made, and so the one where the address is checked. */
import { connect, isIPv4, isIPv6, type Socket } from 'node:net'
import type { Clock, Timer } from '@millhand/process'
import { DialFailure, isOwnShortage } from './failure.ts'

export interface ConnectOptions {
  /** Addresses, no names: nothing is looked up here. */
  readonly addresses: readonly string[]
  readonly port: number
  /** Of all of these. `from`: the address of this machine that the connection came to have, once there is one. */
  mayReach(addresses: readonly string[], from?: string): boolean
}

/**
 * Connects to the first of the addresses that answers; the next is tried when one fails, or is silent for 250 ms
 * (RFC 8305). One that may not be reached refuses them all: a name that has such an address beside a public one is
 * either an attack or a mistake, and its owner should hear of it.
 */
export function connectFirst(options: ConnectOptions, clock: Clock, signal: AbortSignal): Promise<Socket> {
  const { addresses, port, mayReach } = options
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    if (!mayReach(addresses)) throw refused()
    const waiting = alternating(addresses).slice(0, MAX_ADDRESSES)
    const open = new Set<Socket>()
    let fault: DialFailure | undefined
    let timer: Timer | undefined
    signal.addEventListener('abort', onAbort)
    next()

    function next() {
      timer?.cancel()
      const address = waiting.shift()
      if (address === undefined) {
        if (open.size === 0) fail(fault ?? new DialFailure('dns_failed', 'the name has no address'))
        return
      }
      timer = clock.timer(NEXT_ADDRESS_MS, next)
      const socket = connect({ host: address, port, noDelay: true })
      open.add(socket)
      socket.once('connect', () => {
        // What the machine says it is connected to, whatever was asked for.
        try {
          if (!mayReach([socket.remoteAddress ?? ''], socket.localAddress)) throw refused()
        } catch (error) {
          return fail(error)
        }
        open.delete(socket)
        socket.removeAllListeners('error')
        end()
        resolve(socket)
      })
      socket.once('error', (error: NodeJS.ErrnoException) => {
        open.delete(socket)
        fault = worse(fault, failureOf(error, address))
        next()
      })
    }
    function onAbort() {
      fail(signal.reason)
    }
    function fail(error: unknown) {
      end()
      reject(error)
    }
    function end() {
      timer?.cancel()
      signal.removeEventListener('abort', onAbort)
      waiting.length = 0
      for (const socket of open) socket.destroy()
    }
  })
}

const NEXT_ADDRESS_MS = 250
/** A name can have hundreds: it is no means of having many machines dialled. */
const MAX_ADDRESSES = 6

const refused = () => new DialFailure('address_refused', 'leads to an address that may not be dialled')

/** IPv6 first, then one of each in turn. */
function alternating(addresses: readonly string[]): string[] {
  const [v6, v4] = [addresses.filter(isIPv6), addresses.filter(isIPv4)]
  return addresses.flatMap((_, n) => [v6[n], v4[n]].filter(address => address !== undefined))
}

/** Of what several addresses failed with, what says most: a machine without IPv6 fails there at once. */
function worse(before: DialFailure | undefined, now: DialFailure): DialFailure {
  if (before === undefined || now.code === 'no_sockets') return now
  return before.code === 'no_sockets' || before.message !== UNREACHABLE ? before : now
}

const UNREACHABLE = 'there is no way to the address'

function failureOf({ code = '' }: NodeJS.ErrnoException, address: string): DialFailure {
  // Every port that a connection could go out from is in use.
  const outOfPorts = code === 'EADDRNOTAVAIL' && isIPv4(address)
  if (isOwnShortage(code) || outOfPorts) return new DialFailure('no_sockets', 'no connection can be opened here')
  if (code === 'ECONNREFUSED') return new DialFailure('connect_failed', 'the connection was refused')
  if (code === 'ETIMEDOUT') return new DialFailure('connect_failed', 'the connection was not answered')
  return new DialFailure('connect_failed', UNREACHABLE)
}
