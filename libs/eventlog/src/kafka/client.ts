/** kafkajs, as all of the adapter uses it: its lines in our log, and its sockets ours to cut. */
import './quiet-timers.ts'
import { connect, type Socket } from 'node:net'
import type { Log } from '@millhand/telemetry'
import { Kafka, type LogEntry, logLevel } from 'kafkajs'

export interface Client {
  readonly kafka: Kafka
  /** Ends with `cut`. */
  readonly gone: AbortSignal
  /**
   * Ends all connections and refuses new ones. kafkajs has no way to give up by itself, and a send that was given up
   * must not arrive after the next one.
   */
  cut(): void
}

export interface Connecting {
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly log: Log
}

/** How long kafkajs tries. Each try waits 50 ms doubling to 500. */
export interface Patience {
  readonly retries: number
  readonly requestTimeoutMs: number
}

/**
 * A client for one producer, one admin or one consumer. Consumers must not share one: those of a group would share
 * their offsets in it, and a member that joins forgets those of the others (kafkajs 2.2.4, Client's OFFSETS).
 */
export function createClient({ brokers, clientId, log }: Connecting, patience: Patience): Client {
  const sockets = new Set<Socket>()
  const gone = new AbortController()
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: 1000,
    requestTimeout: patience.requestTimeoutMs,
    retry: {
      initialRetryTime: 50,
      maxRetryTime: 500,
      retries: patience.retries,
      restartOnFailure: async () => false, // We make a new consumer instead.
    },
    logLevel: logLevel.INFO,
    logCreator: () => entry => {
      if (!gone.signal.aborted) tell(log, entry)
    },
    socketFactory({ host, port, onConnect }) {
      if (gone.signal.aborted) throw givenUp
      const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, onConnect)
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
  })
  return {
    kafka,
    gone: gone.signal,
    cut() {
      gone.abort(new Error('the connection was given up'))
      for (const socket of sockets) socket.destroy(gone.signal.reason)
    },
  }
}

/**
 * kafkajs takes what a socket's maker throws for a failure to connect, and goes on for half a minute, except that a
 * `TypeError` ends all: that is what it gets when it reads the message.
 */
const givenUp = {
  get message(): string {
    throw new TypeError('the connection was given up')
  },
}

/** All at the level of debugging: it tries again by itself, several times a second, and where it can't, we say so. */
function tell(log: Log, { namespace, label, log: { message, timestamp: _, logger: __, ...fields } }: LogEntry): void {
  log.debug('kafka.client', { from: namespace, severity: label, message, ...fields })
}
