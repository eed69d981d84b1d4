/** One run of a model that generates text: its input and parameters, its pieces, its result. */
import { open } from 'node:fs/promises'
import {
  bounded,
  type Emission,
  type InputFile,
  type ItemResult,
  type RunItem,
  RunnerGone,
} from '@millhand/child-process'
import type { Answer, Counts, Question } from '@millhand/gguf'
import type { SharedGguf } from '@millhand/gguf/processes'
import { InputInvalid, type ModelPackage, readGeneration, readMessages, readUtf8, withoutMark } from '@millhand/model'

interface GenerateDeps {
  readonly process: Pick<SharedGguf, 'ask'>
  readonly model: ModelPackage
  readonly emit: (emission: Emission) => Promise<void>
  /** Ends the run: it rejects with `RunnerGone('killed')` then. */
  readonly signal: AbortSignal
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Rejects with `RunnerGone` when the process ends first. */
export async function generateText(deps: GenerateDeps, item: RunItem): Promise<ItemResult> {
  const { process, model, emit, signal, now } = deps
  const generation = readGeneration(item.parameters)
  let messages: Question['messages']
  try {
    messages = await messagesOf(model, item.input)
  } catch (error) {
    if (error instanceof InputInvalid) return fault('model_input_invalid', error.message)
    throw error
  }
  const { maxTokens: maxOutputTokens, responseSchema: schema, temperature, topP, seed, stop } = generation
  const startedAt = now()
  let firstAt: number | undefined
  const count = ({ inputTokens, outputTokens }: Counts) => item.onUsage?.({ inputTokens, outputTokens, costMicros: 0 })
  const answer = await process
    .ask(
      { messages, schema, maxOutputTokens, temperature, topP, seed, stop },
      {
        signal,
        async onPiece(text, counts) {
          firstAt ??= now()
          count(counts)
          await emit(bounded({ kind: 'output', json: JSON.stringify({ text }) }))
        },
      },
    )
    .catch(error => {
      throw signal.aborted && !(error instanceof RunnerGone) ? stopped() : error
    })
  if (answer.kind === 'answered') count(answer)
  if (signal.aborted) throw stopped()
  const endedAt = now()
  return resultOf(answer, schema !== undefined, { startedAt, firstAt: firstAt ?? endedAt, endedAt })
}

const stopped = () => new RunnerGone('killed', 'the run was stopped')

const fault = (code: string, message: string): ItemResult => ({ ok: false, code, message, retryable: false })

/** Milliseconds of a monotonic clock. */
interface Times {
  readonly startedAt: number
  readonly firstAt: number
  readonly endedAt: number
}

/** The first token came with its own wait, which is no part of the speed of those behind it. */
function timingsOf(tokens: number, { startedAt, firstAt, endedAt }: Times) {
  const seconds = (endedAt - firstAt) / 1_000
  return {
    time_to_first_token_ms: Math.round(firstAt - startedAt),
    ...(tokens > 1 && seconds > 0 && { tokens_per_second: Math.round((10 * (tokens - 1)) / seconds) / 10 }),
  }
}

function resultOf(answer: Answer, isJson: boolean, times: Times): ItemResult {
  switch (answer.kind) {
    case 'too_long':
      return fault(
        'model_input_invalid',
        `the input is ${answer.tokens} tokens with the marks of the conversation; the model reads at most ${answer.most}`,
      )
    case 'template_refused':
      return fault('model_input_invalid', `the model's template refuses the conversation: ${answer.message}`)
    case 'failed':
      return fault('model_failed', 'the model failed on this input')
    case 'answered': {
      const { text, end: finish_reason } = answer
      const json = isJson && finish_reason === 'stop' ? jsonIn(text) : undefined
      const timings = timingsOf(answer.outputTokens, times)
      const said = { text, finish_reason, ...(json !== undefined && { json }), timings }
      const output = Buffer.from(JSON.stringify(said))
      return output.length > MOST_OUTPUT_BYTES
        ? fault('output_too_large', 'the text is longer than an output may be')
        : { ok: true, output }
    }
  }
}

/** Larger ones have no place in a record. */
const MOST_OUTPUT_BYTES = 256 * 1024

/** Undefined where a stop sequence has cut it. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function messagesOf({ manifest }: ModelPackage, input: RunItem['input']): Promise<Question['messages']> {
  const text = typeof input === 'string' ? withoutMark(input) : await textIn(input)
  if (text === '') throw new InputInvalid('the input is empty')
  return manifest.inputFormat === 'json' ? readMessages(text) : [{ role: 'user', content: text }]
}

const MOST_FILE_BYTES = 2 ** 20

async function textIn({ path, bytes }: InputFile): Promise<string> {
  if (bytes > MOST_FILE_BYTES)
    throw new InputInvalid(`the file has ${bytes} bytes; this model reads files of at most ${MOST_FILE_BYTES}`)
  await using handle = await open(path)
  return readUtf8(await handle.readFile())
}
