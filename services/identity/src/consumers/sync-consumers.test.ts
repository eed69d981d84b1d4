import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createConsumerSecret, hashOfKey } from '@millhand/api'
import { SyncConsumersRequestSchema } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { noAccount } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import type { Accounts } from '../accounts/account.ts'
import { noon } from '../identity.fixture.ts'
import type { ConsumerRecord, Consumers } from './consumer-record.ts'
import { syncConsumers } from './sync-consumers.ts'

test('services hear of a revocation also while the store takes no writes', async () => {
  const revoked: ConsumerRecord = {
    tenant: noAccount,
    id: 'consumer_1',
    version: 2,
    name: 'reports',
    methods: ['millhand.compute.v1.ComputeService/*'],
    accounts: ['*'],
    scopes: [],
    prefix: 'mhc_abcd',
    sha256: Buffer.from(hashOfKey(createConsumerSecret())).toString('hex'),
    created_at: noon - 1_000,
    revoked_at: noon,
  }
  const consumers: Pick<Consumers, 'get' | 'find' | 'write'> = {
    get: async () => revoked,
    find: async () => [revoked],
    write: async () => {
      throw new Error('the disk is full')
    },
  }
  const lines: string[] = []
  const sync = syncConsumers({
    accounts: {} as Accounts,
    consumers: consumers as Consumers,
    clock: { now: () => noon },
    log: createLog({ level: 'warn', write: line => void lines.push(line) }),
  })
  const uses = [{ consumerId: revoked.id, usedAt: timestampFromMs(noon) }]
  const { credentials } = await sync(create(SyncConsumersRequestSchema, { uses }))
  assert.deepEqual(
    credentials.map(each => each.revoked),
    [true],
  )
  assert.match(lines.join(''), /consumers\.use_not_noted.*the disk is full/)
})
