/** What a child said, once it is sure that the protocol has it: the child may be compromised. */
import type { ChildMessage } from '@millhand/child-process'
import type { Schema } from '@millhand/workforce/employee'
import type { Check, Citation } from '../answer.ts'
import { faultsOf } from '../run-rules.ts'
import {
  type Fault,
  type FromChild,
  type MadeFile,
  MOST_DEPICTED,
  MOST_EMBEDDED,
  MOST_EMBEDDED_CHARACTERS,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_ISOLATED_BYTES,
  MOST_QUESTION,
  MOST_SIDE,
  MOST_TEXT_BYTES,
} from './protocol.ts'

/** An answer with what was measured on it. */
export interface Made {
  /** JSON text, by the output schema of the kind. */
  readonly result: string
  readonly text: string
  readonly citations: readonly Citation[]
  readonly warnings: readonly string[]
  readonly checks: readonly Check[]
  readonly files: readonly MadeFile[]
}

export type Heard =
  | Extract<FromChild, { kind: 'loaded' | 'refused' | 'failed' }>
  | { readonly kind: 'question'; readonly prompt: string }
  | { readonly kind: 'depict'; readonly prompt: string; readonly width: number; readonly height: number }
  | { readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly kind: 'isolate'; readonly work: string }
  | { readonly kind: 'made'; readonly made: Made }

/** The protocol does not know it; the message says why, in words for who wrote the engine. */
export class NotOfProtocol extends Error {}

/** A copy that has what the protocol names and nothing else. Throws `NotOfProtocol` for what it does not know. */
export function readFromChild({ head, parts }: ChildMessage, outputSchema: Schema): Heard {
  const said = object(head)
  if (said.kind === 'made') return { kind: 'made', made: made(object(said.made), parts, outputSchema) }
  if (said.kind === 'embed') return { kind: 'embed', texts: texts(parts) }
  const [prompt, ...more] = parts
  if (said.kind === 'question' && prompt && more.length === 0)
    return { kind: 'question', prompt: text(prompt.toString(), MOST_QUESTION) }
  if (said.kind === 'depict' && prompt && more.length === 0)
    return { kind: 'depict', prompt: text(prompt.toString(), MOST_DEPICTED), ...sizeOf(said) }
  if (said.kind === 'isolate' && prompt && more.length === 0)
    return { kind: 'isolate', work: text(prompt.toString(), MOST_ISOLATED_BYTES) }
  if (prompt) throw new NotOfProtocol('there is something beside it')
  switch (said.kind) {
    case 'loaded':
      return { kind: 'loaded' }
    case 'refused':
      return { kind: 'refused', message: text(said.message, 10_000) }
    case 'failed':
      return { kind: 'failed', fault: fault(object(said.fault)) }
    default:
      throw new NotOfProtocol('nobody knows such a message')
  }
}

const sizeOf = ({ width, height }: Fields) => ({ width: side(width), height: side(height) })

function side(value: unknown): number {
  const pixels = number(value)
  if (pixels < 1 || pixels > MOST_SIDE) throw new NotOfProtocol('a picture has a side that none may have')
  return pixels
}

function texts(parts: readonly Buffer[]): string[] {
  if (parts.length === 0 || parts.length > MOST_EMBEDDED)
    throw new NotOfProtocol('it asks for no vectors, or for too many')
  return parts.map(part => text(part.toString(), MOST_EMBEDDED_CHARACTERS))
}

function made(said: Fields, [result, words, ...contents]: readonly Buffer[], outputSchema: Schema): Made {
  if (!result || !words || Math.max(result.length, words.length) > MOST_TEXT_BYTES)
    throw new NotOfProtocol('its result or its text is too large')
  const named = list(said.files)
  const bytes = contents.reduce((sum, { length }) => sum + length, 0)
  if (named.length !== contents.length || named.length > MOST_FILES || bytes > MOST_FILE_BYTES)
    throw new NotOfProtocol('its files are too large')
  const files = contents.map((bytes, at) => ({ ...nameOf(named[at]), bytes }))
  if (new Set(files.map(({ name }) => name)).size < files.length) throw new NotOfProtocol('two files have one name')
  return {
    result: json(result.toString(), outputSchema),
    text: words.toString(),
    citations: list(said.citations).map(citation),
    warnings: list(said.warnings).map(warning => text(warning)),
    checks: list(said.checks).map(check),
    files,
  }
}

function nameOf(said: unknown): Omit<MadeFile, 'bytes'> {
  const { name, mediaType } = object(said)
  const called = text(name, 128)
  const type = text(mediaType, 128)
  if (!isFileName.test(called)) throw new NotOfProtocol('a file has a name that files may not have')
  if (!isMediaType.test(type)) throw new NotOfProtocol('a file has a media type that is none')
  return { name: called, mediaType: type }
}

/** As StoreOutput takes them. */
const isFileName = /^[^/\\\p{Cc}]+$/u
const isMediaType = /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+=[\w.+-]+)?$/

function citation(said: unknown): Citation {
  const { source, quote } = object(said)
  return { source: text(source), quote: text(quote) }
}

function check(said: unknown): Check {
  const { id, pass, value, target } = object(said)
  if (typeof pass !== 'boolean') throw new NotOfProtocol('a check neither passes nor fails')
  return { id: text(id, 200), pass, value: measure(value), target: measure(target) }
}

const measure = (value: unknown) => (typeof value === 'number' ? number(value) : text(value))

function fault({ code, message, retryable }: Fields): Fault {
  const named = text(code, 64)
  if (!/^[a-z][a-z0-9_]*$/.test(named)) throw new NotOfProtocol('a fault has no code')
  return { code: named, message: text(message, 10_000), retryable: retryable === true }
}

type Fields = Readonly<Record<string, unknown>>

function object(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw new NotOfProtocol('something is no object')
  return value as Fields
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > 100_000) throw new NotOfProtocol('something is no list, or too long')
  return value
}

function text(value: unknown, most = MOST_TEXT_BYTES): string {
  if (typeof value !== 'string' || value.length > most) throw new NotOfProtocol('something is no text, or too long')
  return value.toWellFormed()
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new NotOfProtocol('something is no number')
  return value
}

function json(written: string, schema: Schema): string {
  const faults = faultsOf(schema, parsed(written))
  if (faults !== undefined) throw new NotOfProtocol(faults)
  return written
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    throw new NotOfProtocol('its result is no JSON')
  }
}
