/** A tracer that keeps its spans, for tests of what makes them. */
import type { TraceContext } from './trace-context.ts'
import { type Attributes, type SpanOptions, setTracer, type Tracer } from './tracer.ts'

export interface RecordedSpan extends Omit<SpanOptions, 'attributes'> {
  readonly name: string
  readonly context: TraceContext
  readonly parent: TraceContext | undefined
  attributes: Attributes
  isEnded: boolean
  error?: unknown
}

/** Traces are on, with a sampler that keeps all, until the function that comes with the spans is called. */
export function recordTraces(): { readonly spans: RecordedSpan[]; off(): void } {
  const spans: RecordedSpan[] = []
  const start: Tracer['start'] = (name, parent, options) => begin(name, parent, options)
  const begin = (name: string, parent: TraceContext | undefined, { attributes = {}, ...options }: SpanOptions) => {
    const spanId = (spans.length + 1).toString(16).padStart(16, '0')
    const traceId = parent?.traceId ?? spanId + spanId
    const state = parent?.state
    const context = { traceId, spanId, isSampled: true, ...(state !== undefined && { state }) }
    const span: RecordedSpan = { name, context, parent, attributes, isEnded: false, ...options }
    spans.push(span)
    return {
      context,
      set(more: Attributes) {
        span.attributes = { ...span.attributes, ...more }
      },
      end(error?: unknown) {
        span.isEnded = true
        span.error = error
      },
    }
  }
  setTracer({
    root(parent, describe) {
      const { name, ...options } = describe()
      const span = begin(name, parent, options)
      return { context: span.context, span }
    },
    start,
    onDropped() {},
  })
  return { spans, off: () => setTracer(undefined) }
}
