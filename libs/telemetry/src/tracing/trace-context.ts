/** The trace that a piece of work belongs to, and its place there: https://www.w3.org/TR/trace-context/. */

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the span that whatever begins now is a child of. */
  readonly spanId: string
  /** Decided once, where the trace begins: without it no span is made. */
  readonly isSampled: boolean
  /** `tracestate` of the caller, which is passed on as it is. */
  readonly state?: string
}

/** The context that the two headers name; undefined where `traceparent` is missing or malformed. */
export function parseTraceContext(
  traceparent: string | null | undefined,
  state?: string | null,
): TraceContext | undefined {
  if (traceparent === null || traceparent === undefined) return undefined
  const [, version, traceId, spanId, flags, more] = FORM.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  // A malformed state must not stop the trace (section 3.3.1).
  return { traceId, spanId, isSampled, ...(state && STATE.test(state) && { state }) }
}

/** The context as a `traceparent` header. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

interface TraceFields {
  readonly trace_id?: string
  readonly span_id?: string
  readonly trace_ids?: readonly string[]
}

/** The fields of log lines about work of a trace, a context or its `traceparent`; none where traces are off. */
export function traceIds(parent: TraceContext | string | undefined): Pick<TraceFields, 'trace_id' | 'span_id'> {
  const context = typeof parent === 'string' ? parseTraceContext(parent) : parent
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId }
}

/** The fields of log lines about work of several traces: the ids of at most 16 in `trace_ids`; of one as `traceIds` has them. */
export function traceIdsOfAll(parents: readonly (string | undefined)[]): TraceFields {
  if (parents.length === 1) return traceIds(parents[0])
  const ids = new Set<string>()
  for (const parent of parents) {
    const id = parseTraceContext(parent)?.traceId
    if (id !== undefined && ids.add(id).size === MOST_LINKS) break
  }
  return ids.size === 0 ? {} : { trace_ids: [...ids] }
}

/** A link for each of a whole batch would make the spans of a batch of 64 as large as 64 spans. */
const MOST_LINKS = 16

/** The others of `traces` that one of them, whose work is done together with theirs, is linked to: those that are sampled. */
export function linksTo(traces: readonly (TraceContext | undefined)[], but: number): readonly TraceContext[] {
  const links: TraceContext[] = []
  for (let at = 0; at < traces.length && links.length < MOST_LINKS; at++) {
    const other = traces[at]
    if (at !== but && other?.isSampled) links.push(other)
  }
  return links
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** Printable ASCII of the length that everyone has to pass on (section 3.3.1.5). */
const STATE = /^[\x20-\x7e]{1,512}$/
