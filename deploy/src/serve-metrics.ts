/** `/metrics`, on an address of its own: for Prometheus, and for nobody else. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, Runner } from '@millhand/process'
import { ignoreAcceptErrors } from '@millhand/rpc'
import {
  type Log,
  lineExporter,
  type Metrics,
  metricsContentTypes,
  metricsFormat,
  observeRuntime,
  standardError,
  tracer,
} from '@millhand/telemetry'
import { explainListenFault } from './listen-fault.ts'

/** The URL at which it serves. */
export async function serveMetrics(
  address: Address,
  { metrics, runner, log }: { metrics: Metrics; runner: Runner; log: Log },
): Promise<string> {
  const countDropped = metrics.counter('millhand_log_lines_dropped_total')
  standardError().onDropped(() => countDropped({}))
  const countSpans = metrics.counter('millhand_spans_dropped_total')
  tracer()?.onDropped((reason, spans) => countSpans({ reason }, spans))
  const countRecords = metrics.counter('millhand_log_records_dropped_total')
  lineExporter()?.onDropped((reason, records) => countRecords({ reason }, records))
  runner.own({ close: observeRuntime(metrics) }, 'runtime metrics')
  const server = createServer(async (req, res) => {
    if (URL.parse(req.url ?? '', 'http://metrics')?.pathname !== '/metrics') return void res.writeHead(404).end()
    if (req.method !== 'GET' && req.method !== 'HEAD') return void res.writeHead(405, { allow: 'GET, HEAD' }).end()
    try {
      const format = metricsFormat(req.headers.accept)
      const text = await metrics.text(log, format)
      const headers = { 'content-type': metricsContentTypes[format], 'cache-control': 'no-store', vary: 'Accept' }
      res.writeHead(200, headers).end(text)
    } catch (error) {
      log.error('metrics.failed', { error })
      res.writeHead(500).end()
    }
  })
  server.listen(address)
  await explainListenFault('MILLHAND_METRICS_ADDR', once(server, 'listening'))
  ignoreAcceptErrors(server, log)
  runner.own(
    {
      async close() {
        const closed = once(server, 'close')
        server.close()
        server.closeAllConnections()
        await closed
      },
    },
    'metrics',
  )
  const { address: host, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}
