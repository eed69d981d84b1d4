import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { recordTraces } from '@millhand/telemetry/recorded-traces'
import { childSpans, endRun, holdLeases } from './run-spans.ts'

const traceOf = (n: number, flags = '01') => `00-${String(n).padStart(32, 'a')}-${'b'.repeat(16)}-${flags}`

const leaseOf = (n: number, traceparent?: string): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: `lease_${n}`,
  tenant: 'acct_a/live',
  workId: `task_${n}`,
  attempt: 1,
  input: '',
  files: [],
  ...(traceparent !== undefined && { traceparent }),
})

const runOf = (leases: Lease[]) => ({ $typeName: 'millhand.lease.v1.Run', group: 'digits', leases }) as const

describe('spans of runs', () => {
  let traces: ReturnType<typeof recordTraces>
  beforeEach(() => {
    traces = recordTraces()
  })
  afterEach(() => traces.off())

  it('are one for each task, each linked to the others of its batch', () => {
    const leases = [leaseOf(1, traceOf(1)), leaseOf(2, traceOf(2)), leaseOf(3), leaseOf(4, traceOf(4, '00'))]
    const held = holdLeases(runOf(leases), 0)
    const told = traces.spans.map(({ parent, links, attributes }) => ({
      trace: parent?.traceId,
      links: links?.map(({ traceId }) => traceId),
      batch: attributes['millhand.batch_size'],
    }))
    const [first, second] = [1, 2].map(n => String(n).padStart(32, 'a'))
    assert.deepEqual(told, [
      { trace: first, links: [second], batch: 4 },
      { trace: second, links: [first], batch: 4 },
    ])
    // Their results say which span is their parent; others keep what they came with.
    const spanIds = held.map(({ lease }) => lease.traceparent?.split('-')[2])
    assert.deepEqual(spanIds, [
      traces.spans[0]?.context.spanId,
      traces.spans[1]?.context.spanId,
      undefined,
      'b'.repeat(16),
    ])
  })

  it('name at most 16 links', () => {
    holdLeases(runOf(Array.from({ length: 64 }, (_, n) => leaseOf(n, traceOf(n)))), 0)
    assert.equal(traces.spans.length, 64)
    for (const { links } of traces.spans) assert.equal(links?.length, 16)
  })

  it('have the work of the process within them, and end with what it came to', () => {
    const held = holdLeases(runOf([leaseOf(1, traceOf(1))]), 0)
    for (const span of childSpans(held)) span?.end()
    for (const one of held) endRun({ ...one, stop: 'lost' }, undefined)
    const [run, child] = traces.spans
    assert.equal(child?.parent?.spanId, run?.context.spanId)
    assert.equal(run?.attributes['millhand.outcome'], 'lost')
    assert.ok(run?.isEnded && child?.isEnded)
  })
})

it('no lease is another where traces are off', () => {
  const lease = leaseOf(1, traceOf(1))
  assert.equal(holdLeases(runOf([lease]), 0)[0]?.lease, lease)
})
