/** The process that a kind lives in. It reads what is hostile, holds no secret, reaches nothing, and can be killed. */
// By its real path: the link to a package of ours leads on to all of them, and may not be read here.

import type { EngineKind } from '@millhand/workforce/employee'
import {
  allowFunctionConstructor,
  endIfOutOfMemory,
  fitsHead,
  lockDown,
  lockLoaded,
  openChannel,
  startWatchdog,
} from '../../../../../libs/child-process/src/child.ts'
import { type Brief, Refusal } from '../brief.ts'
import type { Asked, Depict, Isolate, Isolated } from '../kind.ts'
import { BadAnswer, faultsOf, importOf, type Measured, measured, type RunKind, runRules } from '../run-rules.ts'
import { askEmbedding } from './embed.ts'
import { NotOfProtocol, readFromChild } from './from-child.ts'
import {
  type Fault,
  type FromChild,
  type LoadMessage,
  MOST_DEPICTED,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_QUESTION,
  MOST_TEXT_BYTES,
  type ToChild,
} from './protocol.ts'
import { runLanguageModel } from './run-language-model.ts'

startWatchdog()
const say = openChannel<ToChild, FromChild>(hear)
lockDown()

let kind: RunKind | undefined
let depicts = false
let told: PromiseWithResolvers<string> | undefined
let depicted: PromiseWithResolvers<Uint8Array> | undefined
let isolated: PromiseWithResolvers<Isolated> | undefined
const embedding = askEmbedding(texts => say({ kind: 'embed' }, texts))
/** What it may ask beside a language model. */
let asked: Asked = {}

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message)
      break
    case 'warm':
      void warm(message.brief)
      break
    case 'run':
      void run(message.engine, message.brief)
      break
    case 'told':
      told?.resolve(message.text)
      break
    case 'depicted':
      depicted?.resolve(message.bytes)
      break
    case 'untold':
      ;(depicts ? depicted : told)?.reject(new Untold(message.fault))
      break
    case 'embedded':
      embedding.told(message.vectors)
      break
    case 'unembedded':
      embedding.untold(new Untold(message.fault))
      break
    case 'isolated':
      isolated?.resolve('text' in message ? { outcome: JSON.parse(message.text) } : message)
      break
    case 'unisolated':
      isolated?.reject(new Untold(message.fault))
  }
}

async function load({
  id,
  folder,
  outputSchema,
  wordsSchema,
  rules,
  embeds,
  isolates,
  ...rest
}: LoadMessage): Promise<void> {
  const [employee = '', name = ''] = id.split('/')
  depicts = rest.depicts
  try {
    using _ = allowFunctionConstructor()
    kind = {
      employee,
      id: name,
      folder,
      output_schema: outputSchema,
      ...(wordsSchema && { words_schema: wordsSchema }),
    }
    asked = { ...(embeds && { embed: embedding.embed }), ...(isolates && { isolate }) }
    // So that the first run does not wait for it.
    if (rules) await importOf(kind, 'engine.ts')
    await importOf(kind, 'checks.ts')
    for (const schema of [outputSchema, wordsSchema]) if (schema) faultsOf(schema, undefined)
    lockLoaded()
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: saidBy(error) })
  }
}

async function warm(brief: Brief): Promise<void> {
  // What is wrong with it is told to the first who needs it.
  await runRules(kind as RunKind, brief).catch(faultOf)
  say({ kind: 'loaded' })
}

async function run(engine: EngineKind, brief: Brief): Promise<void> {
  try {
    const of = kind as RunKind
    const byModel = depicts ? runImageModel : runWords
    const { made, parts } = bounded(await (engine === 'llm' ? byModel(of, brief) : runRules(of, brief, asked)), of)
    await embedding.end()
    say({ kind: 'made', made }, parts)
  } catch (error) {
    await embedding.end()
    say({ kind: 'failed', fault: faultOf(error) })
  }
}

const runWords = (of: RunKind, brief: Brief) => runLanguageModel(of, brief, ask, asked)

async function runImageModel(of: RunKind, brief: Brief): Promise<Measured> {
  const { depict }: { depict: Depict<unknown, unknown> } = await importOf(of, 'depict.ts')
  return await measured(of, brief, await depict(brief, askForPicture), asked)
}

/** What the parent has an image model make; once. */
const askForPicture: Parameters<Depict<unknown, unknown>>[1] = ({ prompt, ...size }) => {
  if (prompt.length > MOST_DEPICTED)
    throw new Refusal('input', `What the picture is to show is longer than it may be: ${prompt.length} signs.`)
  depicted = Promise.withResolvers()
  say({ kind: 'depict', ...size }, [prompt])
  return depicted.promise
}

/** What the parent has a process of its own do; one at a time. */
const isolate: Isolate = work => {
  isolated = Promise.withResolvers()
  say({ kind: 'isolate' }, [JSON.stringify(work)])
  return isolated.promise
}

/** What the parent has a language model answer; one question at a time. */
function ask(prompt: string): Promise<string> {
  if (prompt.length > MOST_QUESTION)
    throw new Refusal(
      'input',
      `The brief and its files are more than a language model is asked: ${prompt.length} signs.`,
    )
  told = Promise.withResolvers()
  say({ kind: 'question' }, [prompt])
  return told.promise
}

/** Why the parent has no answer. */
class Untold extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

/** The answer as the parent takes it: what it would not take is a fault of the engine here, and not a crash there. */
function bounded({ answer, checks }: Measured, { output_schema }: RunKind) {
  const files = answer.artifacts ?? []
  const contents = files.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const parts = [Buffer.from(JSON.stringify(answer.result)), Buffer.from(answer.text), ...contents]
  const made = {
    citations: answer.citations ?? [],
    warnings: answer.warnings ?? [],
    checks,
    files: files.map(({ name, media_type: mediaType }) => ({ name, mediaType })),
  }
  const head = { kind: 'made', made }
  const texts = Math.max(...parts.slice(0, 2).map(({ length }) => length))
  const bytes = contents.reduce((sum, { length }) => sum + length, 0)
  if (files.length > MOST_FILES || bytes > MOST_FILE_BYTES || texts > MOST_TEXT_BYTES || !fitsHead(head))
    throw new Untold({
      code: 'output_too_large',
      message: `The answer is larger than it may be: ${MOST_FILES} files, ${MOST_FILE_BYTES / 2 ** 20} MiB together; ${MOST_TEXT_BYTES / 2 ** 20} MiB of text.`,
      retryable: false,
    })
  readFromChild({ head: JSON.parse(JSON.stringify(head)), parts }, output_schema)
  return { made, parts }
}

function faultOf(error: unknown): Fault {
  if (error instanceof Untold) return error.fault
  if (error instanceof Refusal)
    return { code: 'brief_refused', message: `\`${error.param}\`: ${error.message}`, retryable: false }
  if (error instanceof BadAnswer || error instanceof NotOfProtocol)
    return {
      code: 'answer_invalid',
      message: `The answer is not as its output schema says, and is not delivered. ${error.message}`,
      retryable: false,
    }
  // Those above may quote the caller.
  endIfOutOfMemory(error)
  return { code: 'engine_failed', message: `The engine failed on this brief: ${saidBy(error)}`, retryable: false }
}

/** Without paths of this machine. */
const saidBy = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .replaceAll(/(?:file:\/\/)?(?:\/[\w.@+-]+){2,}/g, '…')
    .slice(0, 1_000)
