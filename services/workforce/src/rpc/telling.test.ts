import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, createContextValues, createHandlerContext } from '@connectrpc/connect'
import { codeOf, fail } from '@millhand/api'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { ownerOf } from '../owner.ts'
import { createPlaces } from '../quota/places.ts'
import { telling } from './telling.ts'

describe('what is left of the day', () => {
  let asked = 0
  const transport = createDirectTransport()
  const getDaily = () => {
    asked++
    throw fail('unavailable', 'Identity is away.')
  }
  serve(router => router.service(QuotaService, { getDaily }), transport)
  const clock = manualClock(0)
  const tell = telling(createPlaces({ quota: createClient(QuotaService, transport), clock }))
  const call = createHandlerContext({
    service: WorkforceService,
    method: WorkforceService.method.createWorkforceTask,
    protocolName: 'test',
    requestMethod: 'POST',
    url: '',
    contextValues: createContextValues().set(principalKey, ownerOf({ tenant: 'acct_1/live' })),
  })

  it('is not asked for to refuse a request that is wrong', async () => {
    const refuse = async () => {
      throw fail('invalid_parameter', 'It is wrong.')
    }
    await assert.rejects(tell(refuse)({}, call), error => codeOf(error) === 'invalid_parameter')
    assert.equal(asked, 0)
    await tell(async () => 'good')({}, call)
    assert.equal(asked, 1)
  })
})
