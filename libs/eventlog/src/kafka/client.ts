/** kafkajs, as all of the adapter uses it: its lines in our log, and its sockets ours to cut. */
import './kafkajs-timers.ts'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Log } from '@millhand/telemetry'
import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'

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
  readonly security?: KafkaSecurity
  readonly log: Log
}

/** How brokers know us, and we them. */
export interface KafkaSecurity {
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    readonly username: string
    readonly password: string
  }
  /** TLS; `ca` is PEM: who signs the brokers’ certificates, where the system does not know it. */
  readonly tls?: { readonly ca?: string }
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
export function createClient({ brokers, clientId, security, log }: Connecting, patience: Patience): Client {
  const sockets = new Set<Socket>()
  const gone = new AbortController()
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    ...saslOf(security),
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
      const to = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
      const socket = security?.tls
        ? connectTls({ ...to, ...security.tls, ...(isIP(host) === 0 && { servername: host }) }, onConnect)
        : connect(to, onConnect)
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

/** Its types tie the mechanism to the fields beside it, which are the same for all three. */
function saslOf({ sasl }: KafkaSecurity = {}): Pick<KafkaConfig, 'sasl'> {
  if (sasl === undefined) return {}
  const { mechanism, username, password } = sasl
  switch (mechanism) {
    case 'plain':
      return { sasl: { mechanism, username, password } }
    case 'scram-sha-256':
      return { sasl: { mechanism, username, password } }
    case 'scram-sha-512':
      return { sasl: { mechanism, username, password } }
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
