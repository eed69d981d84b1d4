import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, createContextValues, createHandlerContext } from '@connectrpc/connect'
import { codeOf, fail } from '@millhand/api'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createDailyQuota } from '../quota/daily-quota-client.ts'
import { tenantPrincipal } from '../tenant-principal.ts'
import { withQuotaHeaders } from './quota-headers.ts'

describe('what is left of the day', () => {
  let asked = 0
  const transport = createDirectTransport()
  const getDaily = () => {
    asked++
    throw fail('unavailable', 'Identity is away.')
  }
  serve(router => router.service(QuotaService, { getDaily }), transport)
  const clock = manualClock(0)
  const tell = withQuotaHeaders(createDailyQuota({ quota: createClient(QuotaService, transport), clock }))
  const call = createHandlerContext({
    service: WorkforceService,
    method: WorkforceService.method.createWorkforceTask,
    protocolName: 'test',
    requestMethod: 'POST',
    url: '',
    contextValues: createContextValues().set(principalKey, tenantPrincipal({ tenant: 'acct_1/live' })),
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
