/** Prometheus beside a server: what it reads there, and what it is asked. */
import assert from 'node:assert/strict'
import type { Prometheus } from '@millhand/test-servers'
import type { Server } from './server.ts'

/** `test/distributed` runs suites on several processes. */
export const isDistributed = process.env.TEST_KAFKA !== undefined

/** The jobs that the rules know, and where their metrics are. */
export function metricsTargets({ metrics, logs }: Server): Record<string, string> {
  if (!isDistributed) return { millhand: new URL(metrics ?? '').host }
  const lines = logs()
    .stderr.split('\n')
    .filter(line => line.includes('"metrics.served"'))
  return Object.fromEntries(
    lines.map(line => JSON.parse(line)).map(({ process: name, url }) => [`millhand-${name}`, new URL(url).host]),
  )
}

/** The answer of its API. Fails where Prometheus does not take the query. */
export async function askPrometheus(prometheus: Prometheus, path: string, query: Record<string, string>) {
  const response = await fetch(`${prometheus.url}/api/v1/${path}?${new URLSearchParams(query)}`)
  const text = await response.text()
  assert.equal(response.status, 200, `${query.query}: ${text}`)
  return JSON.parse(text)
}
