/** Identity and workforce as they are, on a database and a clock that the test sets. Of compute there is what is given. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { readCatalogue } from '@millhand/employees/catalogue'
import { createIdentityService, identityCollections } from '@millhand/identity'
import { singleReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import type { ManualClock } from '@millhand/process'
import { createDirectTransport, principalKey, type Routes, serve } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { createWorkforceService } from '@millhand/workforce'

export interface Workforce {
  readonly service: ReturnType<typeof createWorkforceService>
  readonly workforce: Client<typeof WorkforceService>
  readonly quota: Client<typeof QuotaService>
  readonly leases: Client<typeof LeaseService>
  [Symbol.asyncDispose](): Promise<void>
}

export interface WorkforceFixtureOptions {
  readonly db: Database
  readonly clock: ManualClock
  /** What there is of compute. */
  readonly compute?: (router: Routes) => void
}

export async function openWorkforce({ db, clock, compute = () => {} }: WorkforceFixtureOptions): Promise<Workforce> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-workforce-'))
  const log = createLog({ level: 'error' })
  const plans = loadPlans()
  const cursors = createCursors(new Uint8Array(32))
  const transport = createDirectTransport()
  const identity = createIdentityService({
    ...identityCollections(db),
    ...{ plans, cursors, log, replicas: singleReplica },
    clock: { ...clock, sleep: async () => {} }, // Between tries nobody sets the clock.
    keySecret: Buffer.alloc(32, 2),
  })
  serve(identity.routes, transport)
  serve(compute, transport)
  const quota = createClient(QuotaService, transport)
  const service = createWorkforceService({
    ...{ db, plans, cursors, clock, log, quota, replicas: singleReplica, languageModel: false, hasPrices: false },
    ...{ imageModel: false, hasImagePrice: false },
    employees: readCatalogue(),
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    files: createClient(FileService, transport),
    taskFiles: createClient(TaskFileService, transport),
    usage: createClient(WorkforceUsageService, transport),
    targetFault: () => undefined,
    streamTokenSecret: new Uint8Array(32),
    onRing: () => {},
    retentionMs: 86_400_000,
  })
  serve(service.routes, transport)
  serve(service.ownRoutes, transport)
  return {
    service,
    workforce: createClient(WorkforceService, transport),
    quota,
    leases: createClient(LeaseService, transport),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** In the name of an account with that workforce plan. */
export const as = (plan: string, account = 'acct_1') => ({
  contextValues: createContextValues().set(principalKey, {
    accountId: account,
    mode: 'live',
    tenant: `${account}/live`,
    scopes: new Set(['*']),
    keyId: 'key_1',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: plan },
  }),
})
