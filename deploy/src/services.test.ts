/** The table of services agrees with itself, and each caller may do what it needs and no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallerName, calleesOf, callers, grantOf, isReadyWithout, serviceNames, services } from './services.ts'

test('each caller may call what it needs, and names an account only where it has to', () => {
  const table = (Object.keys(callers) as CallerName[]).map(name => {
    const { calls, secret } = grantOf(name)
    return [name, secret, calls.map(service => service.name)]
  })
  assert.deepEqual(table, [
    [
      'gateway',
      true,
      [
        ...['IdentityService', 'ApiKeyService', 'RateService', 'IdempotencyService', 'StatusService'],
        ...['ComputeService', 'FileService', 'StreamTokenService'],
        'WorkforceService',
        'UsageService',
        ...['WebhookService', 'EventService', 'BacklogService'],
      ],
    ],
    ['identity', true, ['RateService']],
    ['compute', true, ['ComputeService', 'LeaseService', 'OwnerService']],
    [
      'workforce',
      true,
      [
        ...['WorkforceService', 'LeaseService', 'OwnerService'],
        'QuotaService',
        ...['FileService', 'TaskFileService'],
        'WorkforceUsageService',
      ],
    ],
    ['executor', false, ['LeaseService']],
    ['billing', false, []],
    ['webhook', true, []],
    ['operator', true, ['AccountService', 'ApiKeyService']],
  ])
})

test('each service calls services of the table, and may miss only those that it calls', () => {
  for (const name of serviceNames) {
    const callees: readonly string[] = calleesOf(name)
    for (const callee of callees) assert.ok(callee in services, `${name} calls ${callee}`)
    const missed = serviceNames.filter(callee => isReadyWithout(name, callee))
    for (const callee of missed) assert.ok(callees.includes(callee), `${name} is ready without ${callee}`)
  }
})
