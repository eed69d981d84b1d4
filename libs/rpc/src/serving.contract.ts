/** What the parts of the transport contract share: serving the contract's service, and watching what its calls do. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Client, ConnectError, type HandlerContext, type ServiceImpl, type Transport } from '@connectrpc/connect'
import type { ContractService } from './contract-service.fixture.ts'

export type Impl = Partial<ServiceImpl<typeof ContractService>>

/** A test body that serves `impl` while `run` calls it. */
export type Serving = (
  impl: Impl,
  run: (client: Client<typeof ContractService>, transport: Transport) => Promise<void>,
) => () => Promise<void>

export const echo: NonNullable<Impl['echo']> = request => request

export async function aborted(call: HandlerContext): Promise<void> {
  if (!call.signal.aborted) await once(call.signal, 'abort')
}

/** What the work rejects with. */
export async function rejection(work: Promise<unknown>): Promise<ConnectError> {
  const reason = await work.then(
    () => assert.fail('the call was answered'),
    (error: unknown) => error,
  )
  assert.ok(reason instanceof ConnectError, String(reason))
  return reason
}
