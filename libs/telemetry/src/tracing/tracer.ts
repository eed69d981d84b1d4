/** What makes spans, where traces are on. Nothing of OpenTelemetry is loaded here. */
import type { OnDropped } from '../otlp/bounded-queue.ts'
import { parseTraceContext, type TraceContext } from './trace-context.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** `server` and `client` are the two sides of a call, `consumer` is who takes up work that waited. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

export interface SpanOptions {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** Other traces that the same work is done for. */
  readonly links?: readonly TraceContext[]
  /** When it began, in milliseconds since 1970; now where it is not set. */
  readonly startedAt?: number
}

export interface SpanDescription extends SpanOptions {
  readonly name: string
}

/** A part of a trace that is being done. */
export interface Span {
  /** The parent of what is done within it. */
  readonly context: TraceContext
  set(attributes: Attributes): void
  /** Once; where the work failed, with its error or the kind of that in a word. */
  end(error?: unknown): void
}

export interface Tracer {
  /**
   * Where a trace begins or comes in: decides whether it is sampled; without that there is no span, only a context, and
   * nobody asks for the span's description.
   */
  root(
    parent: TraceContext | undefined,
    describe: () => SpanDescription,
  ): { readonly context: TraceContext; readonly span?: Span }
  /** Of a context that is sampled, or a new trace. */
  start(name: string, parent: TraceContext | undefined, options: SpanOptions): Span
  /** Hears of spans that could not be sent. */
  onDropped(dropped: OnDropped): void
}

let active: Tracer | undefined

/** Undefined where traces are off. It is set before the parts of the process are made, and stays. */
export const tracer = (): Tracer | undefined => active

/** For the start of the process, and for tests. */
export function setTracer(next: Tracer | undefined): void {
  active = next
}

/** A span within `parent`, a context or its `traceparent`; undefined where traces are off, or this one is not sampled. */
export function startSpan(
  name: string,
  parent: TraceContext | string | undefined,
  options: SpanOptions = {},
): Span | undefined {
  if (active === undefined || parent === undefined) return undefined
  const context = typeof parent === 'string' ? parseTraceContext(parent) : parent
  return context?.isSampled === true ? active.start(name, context, options) : undefined
}

/**
 * The first span of a trace of its own, for work that `cause` has caused and that is too much for the trace of that: it is
 * linked to it, and sampled as it is.
 */
export function startTrace(name: string, cause: TraceContext | undefined, options: SpanOptions): Span | undefined {
  return active !== undefined && cause?.isSampled === true
    ? active.start(name, undefined, { ...options, links: [cause] })
    : undefined
}

/** Settles as the work does, and ends the span with it. */
export async function within<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  if (span === undefined) return await work
  try {
    const result = await work
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
