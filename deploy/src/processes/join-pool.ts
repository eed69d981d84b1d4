/** How an executor in an instance gets its token, and keeps having one. */
import { createClient } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import type { Clock } from '@millhand/process'
import { createNetworkTransport } from '@millhand/rpc/network'
import type { Log } from '@millhand/telemetry'

export interface Membership {
  /** Gets the first token. Rejects where compute refuses the credential, or has not answered for 5 minutes. */
  join(): Promise<void>
  /** The latest token. */
  token(): string
  /** Renews the token at half of its life, until the signal ends. Rejects when compute refuses, or the token has expired. */
  renew(signal: AbortSignal): Promise<void>
}

interface Joining {
  readonly url: string
  readonly credential: string
}

/** A join credential is not valid for longer. */
const JOIN_MS = 300_000
const AGAIN_MS = 1_000
const TIMEOUT_MS = 5_000

export function joinPool({ url, credential }: Joining, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
  let token = credential
  /** By the monotonic clock: from when on the token is renewed, and when it ends. */
  let [dueAt, endsAt] = [0, clock.monotonic() + JOIN_MS]

  async function exchange(): Promise<void> {
    const transport = createNetworkTransport({ url })
    const askedAt = clock.monotonic()
    try {
      const answer = await createClient(ExecutorService, transport).getToken(
        { credential: token },
        { timeoutMs: TIMEOUT_MS },
      )
      token = answer.token
      endsAt = askedAt + answer.validMs
      dueAt = askedAt + answer.validMs / 2
    } finally {
      transport.close()
    }
  }

  async function retried(signal: AbortSignal = new AbortController().signal): Promise<void> {
    for (;;) {
      try {
        return await exchange()
      } catch (error) {
        if (refused.has(codeOf(error)) || clock.monotonic() >= endsAt) throw error
        log.warn('token.failed', { error })
      }
      await clock.sleep(AGAIN_MS, signal)
    }
  }

  return {
    join: () => retried(),
    token: () => token,
    async renew(signal) {
      while (!signal.aborted) {
        await clock.sleep(Math.max(0, dueAt - clock.monotonic()), signal).catch(() => {})
        if (!signal.aborted) await retried(signal)
      }
    },
  } satisfies Membership
}

const refused: ReadonlySet<string> = new Set(['invalid_credentials', 'expired_credentials', 'revoked_credentials'])
