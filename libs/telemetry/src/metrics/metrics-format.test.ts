import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsFormat } from './metrics-format.ts'

test('OpenMetrics is for who would rather have it, as Prometheus has', () => {
  const openMetrics = [
    'application/openmetrics-text',
    // Prometheus 2.42 and 3.5.
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
  ]
  const others = [
    undefined,
    '',
    '*/*',
    'text/plain',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'application/openmetrics-text;q=0.2,text/plain;q=0.5',
    'application/openmetrics-text;q=0',
  ]
  for (const accept of openMetrics) assert.equal(metricsFormat(accept), 'openmetrics', accept)
  for (const accept of others) assert.equal(metricsFormat(accept), 'prometheus', accept)
})
