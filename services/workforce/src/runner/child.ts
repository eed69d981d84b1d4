/** The process that a kind lives in. It reads what is hostile, holds no secret, reaches nothing, and can be killed. */
import { endIfOutOfMemory, startWatchdog } from '@millhand/worker/child'
import { type Brief, Refusal } from '../brief.ts'
import type { EngineKind } from '../catalogue.ts'
import { BadAnswer, importOf, type Measured, type RunKind, runRules } from '../run-rules.ts'
import { lockDown } from './lockdown.ts'
import {
  type Fault,
  type FromChild,
  type LoadMessage,
  type Made,
  MOST_CHARACTERS,
  MOST_FILE_BYTES,
  MOST_FILES,
  type Question,
  type ToChild,
} from './protocol.ts'
import { runLanguageModel } from './run-language-model.ts'

startWatchdog()
lockDown()

const send = process.send?.bind(process) as (message: FromChild) => void
let kind: RunKind | undefined
let told: PromiseWithResolvers<string> | undefined

process.on('message', (message: ToChild) => {
  switch (message.kind) {
    case 'load':
      return void load(message)
    case 'run':
      return void run(message.engine, message.brief)
    case 'told':
      return told?.resolve(message.text)
    case 'untold':
      return told?.reject(new Untold(message.fault))
  }
})

async function load({ id, folder, outputSchema, rules }: LoadMessage): Promise<void> {
  const [employee = '', name = ''] = id.split('/')
  try {
    kind = { employee, id: name, folder, output_schema: outputSchema }
    // So that the first run does not wait for it.
    if (rules) await importOf(kind, 'engine.ts')
    await importOf(kind, 'checks.ts')
    send({ kind: 'loaded', memoryBytes: process.memoryUsage.rss() })
  } catch (error) {
    endIfOutOfMemory(error)
    send({ kind: 'refused', message: saidBy(error) })
  }
}

async function run(engine: EngineKind, brief: Brief): Promise<void> {
  const started = performance.now()
  const account = () => ({ computeMs: performance.now() - started, memoryBytes: process.memoryUsage.rss() })
  try {
    const of = kind as RunKind
    const measured = engine === 'llm' ? await runLanguageModel(of, brief, ask) : await runRules(of, brief)
    send({ kind: 'made', made: bounded(madeOf(measured)), ...account() })
  } catch (error) {
    send({ kind: 'failed', fault: faultOf(error), ...account() })
  }
}

/** What the parent has a language model answer; one question at a time. */
function ask(question: Question): Promise<string> {
  told = Promise.withResolvers()
  send({ kind: 'question', question })
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

const madeOf = ({ answer, checks }: Measured): Made => ({
  result: JSON.stringify(answer.result),
  text: answer.text,
  citations: answer.citations ?? [],
  warnings: answer.warnings ?? [],
  checks,
  files: (answer.artifacts ?? []).map(({ name, media_type: mediaType, bytes }) => ({ name, mediaType, bytes })),
})

function bounded(made: Made): Made {
  const { files, result, text } = made
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (files.length > MOST_FILES || bytes > MOST_FILE_BYTES || result.length + text.length > MOST_CHARACTERS)
    throw new Untold({
      code: 'output_too_large',
      message: `The answer is larger than it may be: ${MOST_FILES} files, ${MOST_FILE_BYTES / 2 ** 20} MiB together.`,
      retryable: false,
    })
  return made
}

function faultOf(error: unknown): Fault {
  endIfOutOfMemory(error)
  if (error instanceof Untold) return error.fault
  if (error instanceof Refusal)
    return { code: 'brief_refused', message: `\`${error.param}\`: ${error.message}`, retryable: false }
  if (error instanceof BadAnswer)
    return {
      code: 'answer_invalid',
      message: `The answer is not as its output schema says, and is not delivered. ${error.message}`,
      retryable: false,
    }
  return { code: 'engine_failed', message: `The engine failed on this brief: ${saidBy(error)}`, retryable: false }
}

/** Without paths of this machine. */
const saidBy = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .replaceAll(/(?:file:\/\/)?(?:\/[\w.@+-]+){2,}/g, '…')
    .slice(0, 1_000)
