/** How long requests took, by route and status. */
import { processMetrics, type RecordValue, type TraceContext } from '@millhand/telemetry'
import { routeName } from '../route-name.ts'

/** `status`: 0 or less where there was no answer. */
type RecordRequest = (status: number, ms: number, trace?: TraceContext) => void

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** For requests of one route: after the first of a status it looks up one number. */
export function requestRecorder(method: string, route: string): RecordRequest {
  const byStatus = new Map<number, RecordValue>()
  const bind = (status: number) => {
    const record = processMetrics.boundHistogram('http_server_request_duration_seconds', {
      http_request_method: methods.find(known => known === method) ?? '_OTHER',
      http_route: routeName(route),
      http_response_status_code: status > 0 ? String(status) : 'none',
    })
    byStatus.set(status, record)
    return record
  }
  return (status, ms, trace) => (byStatus.get(status) ?? bind(status))(ms / 1000, trace)
}

/** What is no route: names that callers make up have one label. */
export const recordUnknown: RecordRequest = requestRecorder('_OTHER', 'unknown')
