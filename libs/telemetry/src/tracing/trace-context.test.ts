import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksTo, parseTraceContext, traceIds, traceIdsOfAll, traceparentOf } from './trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('a context is read from its headers and written again', () => {
  for (const flags of ['00', '01']) {
    const text = `00-${traceId}-${spanId}-${flags}`
    const context = parseTraceContext(text, 'a=1,b=2')
    assert.deepEqual(context, { traceId, spanId, isSampled: flags === '01', state: 'a=1,b=2' })
    assert.equal(traceparentOf(context), text)
  }
})

test('of later versions the known part is read, and unknown flags are ignored', () => {
  for (const text of [`01-${traceId}-${spanId}-01`, `cc-${traceId}-${spanId}-03-more`, `00-${traceId}-${spanId}-ff`])
    assert.deepEqual(parseTraceContext(text), { traceId, spanId, isSampled: true }, text)
})

test('what is no context is none', () => {
  const wrong = [
    null,
    undefined,
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    ` 00-${traceId}-${spanId}-01`,
  ]
  for (const text of wrong) assert.equal(parseTraceContext(text), undefined, String(text))
})

test('a state that is malformed or too long is left out, and the trace goes on', () => {
  for (const state of ['', 'a=ä', 'a=\n', 'x'.repeat(513)])
    assert.deepEqual(parseTraceContext(`00-${traceId}-${spanId}-01`, state), { traceId, spanId, isSampled: true })
})

test('lines of the log name a context, or its header, and nothing where there is none', () => {
  const text = `00-${traceId}-${spanId}-00`
  for (const known of [text, parseTraceContext(text)])
    assert.deepEqual(traceIds(known), { trace_id: traceId, span_id: spanId })
  for (const none of [undefined, '', 'nonsense']) assert.deepEqual(traceIds(none), {})
})

test('lines of the log about many traces name each once, and at most 16', () => {
  const text = (n: number) => `00-${String(n).padStart(32, '0')}-${spanId}-00`
  const id = (n: number) => String(n).padStart(32, '0')
  assert.deepEqual(traceIdsOfAll([text(1)]), traceIds(text(1)))
  assert.deepEqual(traceIdsOfAll([text(1), undefined, text(2), text(1)]), { trace_ids: [id(1), id(2)] })
  assert.deepEqual(traceIdsOfAll([undefined, undefined]), {})
  const { trace_ids = [] } = traceIdsOfAll(Array.from({ length: 40 }, (_, n) => text(n + 1)))
  assert.deepEqual(
    trace_ids,
    Array.from({ length: 16 }, (_, n) => id(n + 1)),
  )
})

test('work that is done together is linked to at most 16 others that are sampled', () => {
  const traces = Array.from({ length: 40 }, (_, n) =>
    n % 4 === 0 ? undefined : { traceId: String(n), spanId, isSampled: n % 4 !== 1 },
  )
  const links = linksTo(traces, 2).map(link => Number(link.traceId))
  assert.equal(links.length, 16)
  assert.ok(
    links.every(n => n % 4 > 1 && n !== 2),
    links.join(),
  )
})
