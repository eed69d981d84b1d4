/** When an executor asks for the work of an account of which nothing runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  type ClaimRequest,
  ClaimResponseSchema,
  LeaseService,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { NewcomerSlot } from './newcomer-slot.ts'

for (const [slots, running, isAsked] of [
  [1, ['a'], true],
  [1, ['a', 'b'], false],
  [2, ['a', 'a'], true],
  [2, ['a', 'a', 'b'], true],
  [2, ['a', 'b', 'c'], false],
  [2, ['a', 'a', 'b', 'c'], false],
  [2, ['a', 'a', 'b', 'b'], false],
  [3, ['a', 'a', 'a', 'b', 'c'], true],
] as const)
  test(`${slots} slots with runs of ${running} have ${isAsked ? 'room' : 'no room'} for another account`, async () => {
    const asked: ClaimRequest[] = []
    const transport = createDirectTransport()
    transport.service(LeaseService, {
      claim(request) {
        asked.push(request)
        return create(ClaimResponseSchema)
      },
    })
    const clock = manualClock()
    const slot = new NewcomerSlot({
      leases: createClient(LeaseService, transport),
      executorId: 'exec_a',
      pool: 'cpu',
      slots,
      clock,
      log: createLog({ level: 'error', write: () => {} }),
      sharesProcesses: false,
      signal: new AbortController().signal,
      start: () => {},
    })
    const startedAt = clock.monotonic()
    await clock.advance(1_000)
    slot.check(running.map(tenant => ({ group: 'echo', tenant, startedAt })))
    await clock.advance(1)
    assert.equal(asked.length, isAsked ? 1 : 0)
  })
