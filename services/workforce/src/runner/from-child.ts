/** What a child said, once it is sure that the protocol has it: the child may be no longer ours. */
import type { Check, Citation } from '../answer.ts'
import {
  type Fault,
  type FromChild,
  type Made,
  type MadeFile,
  MOST_CHARACTERS,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_QUESTION,
  type Question,
} from './protocol.ts'

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild(said: unknown): FromChild | undefined {
  try {
    return read(object(said))
  } catch (error) {
    if (error instanceof NotOfProtocol) return undefined
    throw error
  }
}

class NotOfProtocol extends Error {}

function read(said: Fields): FromChild {
  switch (said.kind) {
    case 'loaded':
      return { kind: 'loaded', memoryBytes: number(said.memoryBytes) }
    case 'refused':
      return { kind: 'refused', message: text(said.message, 10_000) }
    case 'question':
      return { kind: 'question', question: question(object(said.question)) }
    case 'made':
      return { kind: 'made', made: made(object(said.made)), ...account(said) }
    case 'failed':
      return { kind: 'failed', fault: fault(object(said.fault)), ...account(said) }
    default:
      throw new NotOfProtocol()
  }
}

const account = ({ computeMs, memoryBytes }: Fields) => ({
  computeMs: Math.max(0, number(computeMs)),
  memoryBytes: number(memoryBytes),
})

function question({ system, prompt, maxTokens }: Fields): Question {
  return {
    system: text(system, MOST_QUESTION),
    prompt: text(prompt, MOST_QUESTION),
    ...(maxTokens !== undefined && { maxTokens: number(maxTokens) }),
  }
}

function made(said: Fields): Made {
  const files = list(said.files).map(file)
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  const names = new Set(files.map(({ name }) => name))
  if (files.length > MOST_FILES || bytes > MOST_FILE_BYTES || names.size < files.length) throw new NotOfProtocol()
  return {
    result: json(said.result),
    text: text(said.text),
    citations: list(said.citations).map(citation),
    warnings: list(said.warnings).map(warning => text(warning)),
    checks: list(said.checks).map(check),
    files,
  }
}

function file(said: unknown): MadeFile {
  const { name, mediaType, bytes } = object(said)
  if (!(bytes instanceof Uint8Array)) throw new NotOfProtocol()
  const called = text(name, 128)
  const type = text(mediaType, 128)
  if (!isFileName.test(called) || !isMediaType.test(type)) throw new NotOfProtocol()
  return { name: called, mediaType: type, bytes }
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
  if (typeof pass !== 'boolean') throw new NotOfProtocol()
  return { id: text(id, 200), pass, value: measure(value), target: measure(target) }
}

const measure = (value: unknown) => (typeof value === 'number' ? number(value) : text(value))

function fault({ code, message, retryable }: Fields): Fault {
  const named = text(code, 64)
  if (!/^[a-z][a-z0-9_]*$/.test(named)) throw new NotOfProtocol()
  return { code: named, message: text(message, 10_000), retryable: retryable === true }
}

type Fields = Readonly<Record<string, unknown>>

function object(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw new NotOfProtocol()
  return value as Fields
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > 100_000) throw new NotOfProtocol()
  return value
}

function text(value: unknown, most = MOST_CHARACTERS): string {
  if (typeof value !== 'string' || value.length > most) throw new NotOfProtocol()
  return value.toWellFormed()
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new NotOfProtocol()
  return value
}

function json(value: unknown): string {
  const written = text(value)
  try {
    JSON.parse(written)
    return written
  } catch {
    throw new NotOfProtocol()
  }
}
