import { fail } from '@millhand/api'
import type { ReportRequest, ReportResponse } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { noAccount } from '@millhand/store'
import { emptyDay, firstDay, lastDay, withReport } from '../daily-history.ts'
import type { StatusDeps } from '../status-deps.ts'

/** Adds a report to its day, once however often it comes. Fails with `invalid_parameter` for a day that isn't kept. */
export const report =
  ({ days, clock }: StatusDeps) =>
  async (req: ReportRequest): Promise<ReportResponse> => {
    const now = clock.now()
    if (req.day < firstDay(now) || req.day > lastDay(now)) {
      throw fail('invalid_parameter', `\`day\` must be one from ${firstDay(now)} to ${lastDay(now)}.`, { param: 'day' })
    }
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const day = await days.get(noAccount, req.day)
      const document = withReport(day ?? emptyDay(req.day), req, now)
      if (document === undefined) return added
      const result = day
        ? await days.write({ kind: 'replace', version: day.version, document, events: [] })
        : await days.write({ kind: 'insert', document, events: [] })
      if (result.kind === 'written') return added
    }
    throw fail('unavailable', 'Too many report at once. Report again.')
  }

/** Of as many that write at the same time, at least one is done with each try. */
const MOST_TRIES = 50

const added: ReportResponse = { $typeName: 'millhand.status.v1.ReportResponse' }
