import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createClient, createContextKey, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { LeaseService, ReadInputResponseSchema } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import {
  OwnerService,
  RingRequestSchema,
  RingResponseSchema,
} from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { createDirectTransport, type DirectTransport, drainingKey } from '@millhand/rpc'
import { forwardStreamToOwner, forwardToOwner, singleReplica } from './forward-to-owner.ts'
import type { Owner } from './owner-election.ts'

const whoKey = createContextKey('nobody')

/** Replicas by their addresses, and who each takes for the owner. Each notes who called what of it. */
function started(owners: Readonly<Record<string, Owner>>) {
  const answered: string[] = []
  const transports = new Map<string, DirectTransport>()
  for (const [address, owner] of Object.entries(owners)) {
    const replicas = { owner: () => owner, peer: (other: string) => transports.get(other) as DirectTransport }
    const transport = createDirectTransport()
    transport.service(OwnerService, {
      ring: forwardToOwner(replicas, OwnerService.method.ring, async (_, call) => {
        answered.push(`ring at ${address} for ${call.values.get(whoKey)}`)
        return create(RingResponseSchema)
      }),
    })
    transport.service(LeaseService, {
      readInput: forwardStreamToOwner(replicas, LeaseService.method.readInput, async function* (_, call, signal) {
        answered.push(`read at ${address} for ${call.values.get(whoKey)}`)
        yield create(ReadInputResponseSchema)
        signal.throwIfAborted()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }),
    })
    transports.set(address, transport)
  }
  const at = (address: string) => transports.get(address) as DirectTransport
  return {
    answered,
    ring: (address: string) =>
      createClient(OwnerService, at(address)).ring({}, { contextValues: createContextValues().set(whoKey, 'me') }),
    read: (address: string, draining = new AbortController().signal) =>
      createClient(LeaseService, at(address))
        .readInput({}, { contextValues: createContextValues().set(whoKey, 'me').set(drainingKey, draining) })
        [Symbol.asyncIterator](),
  }
}

const isUnavailable = (error: unknown) => codeOf(error) === 'unavailable'

test('the owner itself asks for the signal of no call', async () => {
  const ring = forwardToOwner(singleReplica, OwnerService.method.ring, async () => create(RingResponseSchema))
  const call = {
    get signal() {
      return assert.fail('it was made')
    },
  }
  await ring(create(RingRequestSchema), call as unknown as HandlerContext)
})

test('the owner answers itself, and for the others', async () => {
  const { answered, ring, read } = started({ a: 'here', b: { address: 'a' } })
  for (const address of ['a', 'b']) {
    await ring(address)
    const stream = read(address)
    assert.equal((await stream.next()).done, false)
    await stream.return?.()
  }
  assert.deepEqual(answered, Array(2).fill(['ring at a for me', 'read at a for me']).flat())
})

test('while there is no owner, whoever asks is to try again', async () => {
  const { answered, ring, read } = started({ a: undefined })
  await assert.rejects(ring('a'), isUnavailable)
  await assert.rejects(read('a').next(), isUnavailable)
  assert.deepEqual(answered, [])
})

test('replicas that take each other for the owner pass a call on once', async () => {
  const { answered, ring, read } = started({ a: { address: 'b' }, b: { address: 'a' } })
  await assert.rejects(ring('a'), isUnavailable)
  await assert.rejects(read('a').next(), isUnavailable)
  assert.deepEqual(answered, [])
})

test('a replica that stops ends its streams, those that it passes on too', async () => {
  for (const address of ['a', 'b']) {
    const draining = new AbortController()
    const stream = started({ a: 'here', b: { address: 'a' } }).read(address, draining.signal)
    await stream.next()
    draining.abort()
    await assert.rejects(stream.next(), { rawMessage: 'This replica stops. Ask another.' })
  }
})
