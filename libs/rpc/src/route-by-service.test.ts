import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { createDirectTransport } from './direct-transport.ts'
import { routeByService } from './route-by-service.ts'

test('each call goes where its service is answered', async () => {
  const rung: unknown[] = []
  const leases = createDirectTransport().service(LeaseService, {
    async *readInput() {
      yield { data: Uint8Array.of(1) }
    },
  })
  const owner = createDirectTransport().service(OwnerService, {
    async ring({ documents }) {
      rung.push(...documents)
      return {}
    },
  })
  const transport = routeByService([
    [leases, [LeaseService]],
    [owner, [OwnerService]],
  ])
  const read: number[] = []
  for await (const { data } of createClient(LeaseService, transport).readInput({})) read.push(...data)
  assert.deepEqual(read, [1])
  await createClient(OwnerService, transport).ring({ documents: [{ collection: 'tasks' }] })
  assert.equal(rung.length, 1)
})

test('a service has one way: two are refused at once, none when it is called', async () => {
  const way = createDirectTransport()
  const twice = [
    [way, [OwnerService]],
    [way, [LeaseService, OwnerService]],
  ] as const
  assert.throws(() => routeByService(twice), /millhand\.lease\.v1\.OwnerService has two ways/)
  const transport = routeByService([[way, [OwnerService]]])
  const noWay = /there is no way to millhand\.lease\.v1\.LeaseService/
  await assert.rejects(createClient(LeaseService, transport).claim({}), noWay)
  await assert.rejects(async () => {
    for await (const _ of createClient(LeaseService, transport).readInput({})) assert.fail('answered')
  }, noWay)
})
