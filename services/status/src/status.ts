/** Status: how well the deployment has done, by what its gateways report. */
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import { type Database, noAccount, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type DayRecord, daysSpec, firstDay } from './daily-history.ts'
import { getHistory } from './rpc/get-history.ts'
import { report } from './rpc/report.ts'
import type { StatusDeps } from './status-deps.ts'

export interface StatusOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

const SWEEP_EVERY_MS = 3_600_000

export function createStatusService({ db, clock, log }: StatusOptions) {
  const days = db.collection<DayRecord>(daysSpec)
  const deps: StatusDeps = { days, clock }
  const old = () => ({ equals: [noAccount], before: [firstDay(clock.now())] })
  return {
    routes(router: Routes): void {
      router.service(StatusService, { report: report(deps), getHistory: getHistory(deps) })
    },
    /** Removes days that are too old to be shown, until the signal ends. Any number of replicas may. */
    run: (signal: AbortSignal): Promise<void> =>
      sweep(
        { name: daysSpec.name, collection: days, index: 'primary', range: old, everyMs: SWEEP_EVERY_MS, clock, log },
        signal,
      ),
  }
}
