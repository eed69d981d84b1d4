/** A language model that is loaded in this process, by node-llama-cpp: which no file besides imports. */
import type { Message, Schema } from '@millhand/model'
import {
  type ChatHistoryItem,
  type ChatWrapper,
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
  type LlamaText,
  resolveChatWrapper,
  type Token,
} from 'node-llama-cpp'
import { grammarOf } from './grammar.ts'
import { type Account, type Context, type Counts, type Load, MOST_TEXT_BYTES, type Question } from './protocol.ts'
import { textPieces } from './text-pieces.ts'

/** Takes a piece of an answer. Resolves once there is room for the next. */
export type OnPiece = (text: string, counts: Counts) => Promise<void>

export interface LoadedModel {
  /**
   * Ends early, with what there is, once the signal fires. Throws `TooLong` for a question that leaves no room, and
   * `TemplateRefused` for messages that its template does not take. No more questions of a context at once than it has
   * sequences.
   */
  ask(
    context: number,
    asked: Question,
    signal: AbortSignal,
    onPiece: OnPiece,
  ): Promise<Account & { readonly text: string }>
}

/** There is no room for an answer beside the question. */
export class TooLong extends Error {
  readonly tokens: number
  readonly most: number
  constructor(tokens: number, most: number) {
    super('the question is too long')
    this.tokens = tokens
    this.most = most
  }
}

/** The template makes no input of the messages. Its message is the template's reason, of any length. */
export class TemplateRefused extends Error {}

const LEAST_OUTPUT_TOKENS = 64
/** Between two of them it is heard whether it is to stop. */
const PORTION_TOKENS = 128

/**
 * A file of the form GGUF, on this machine's processor. Throws llama.cpp's own error for what it can't load, or has no memory for.
 */
export async function loadModel({ file, threads, contexts }: Load): Promise<LoadedModel> {
  // What is not there is neither built nor fetched.
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    maxThreads: threads,
  })
  const model = await llama.loadModel({ modelPath: file })
  // By default a template that is nearly a known form is replaced by that form, which has other marks and instructions.
  const wrapper = resolveChatWrapper(model, { type: 'jinjaTemplate', warningLogs: false })
  const opened: (Context & { readonly free: LlamaContextSequence[]; readonly room: number })[] = []
  for (const context of contexts) {
    const { sequences, contextTokens } = context
    const contextSize = Math.min(contextTokens, model.trainContextSize)
    const made = await model.createContext({ contextSize, sequences, threads })
    const free = Array.from({ length: sequences }, () => made.getSequence())
    opened.push({ ...context, free, room: made.contextSize })
  }

  async function answer({ sequence, room }: Place, question: Question, signal: AbortSignal, onPiece: OnPiece) {
    const contextText = contextTextOf(wrapper, question.messages)
    // By this what somebody wrote is text, also where it reads like a mark of the model's own.
    const tokens = contextText.tokenize(model.tokenizer, 'trimLeadingSpace')
    if (tokens.length + LEAST_OUTPUT_TOKENS > room) throw new TooLong(tokens.length, room - LEAST_OUTPUT_TOKENS)
    const last = tokens.length - 1
    await sequence.adaptStateToTokens(tokens.slice(0, last), false)
    const knownTokens = sequence.nextTokenIndex
    const account = { inputTokens: tokens.length, knownTokens }
    for (let at = knownTokens; at < last; at += PORTION_TOKENS) {
      if (signal.aborted) return { ...account, outputTokens: 0, end: 'stopped' as const, text: '' }
      await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, Math.min(last, at + PORTION_TOKENS)))
    }
    const grammar = question.schema && (await grammarState(llama, model, question.schema))
    const most = Math.min(question.maxOutputTokens, room - tokens.length)
    const written = await write({
      ...{ sequence, model, question, most, grammar, signal },
      from: tokens.slice(last),
      onPiece: (text, outputTokens) => onPiece(text, { inputTokens: tokens.length, outputTokens }),
    })
    return { ...account, ...written }
  }

  return {
    async ask(context, question, signal, onPiece) {
      const { free = [], room = 0, keepsPrefix = false } = opened[context] ?? {}
      const sequence = free.pop()
      if (sequence === undefined) throw new Error('more questions than sequences')
      try {
        return await answer({ sequence, room }, question, signal, onPiece)
      } finally {
        if (!keepsPrefix) await sequence.clearHistory()
        free.push(sequence)
      }
    },
  }
}

/** Where a question is answered. */
interface Place {
  readonly sequence: LlamaContextSequence
  /** Tokens that a question and its answer may have. */
  readonly room: number
}

/** The template could be rendered when the model was loaded: what fails then is due to the messages. */
function contextTextOf(wrapper: ChatWrapper, messages: readonly Message[]): LlamaText {
  try {
    return wrapper.generateContextState({ chatHistory: historyOf(messages) }).contextText
  } catch (error) {
    throw new TemplateRefused(String((error as Error).message), { cause: error })
  }
}

/** The last one is the model's, which is yet to come. */
const historyOf = (messages: readonly Message[]): ChatHistoryItem[] => [
  ...messages.map(
    ({ role, content }): ChatHistoryItem =>
      role === 'assistant' ? { type: 'model', response: [content] } : { type: role, text: content },
  ),
  { type: 'model', response: [] },
]

interface Writing {
  readonly sequence: LlamaContextSequence
  readonly model: LlamaModel
  readonly question: Question
  readonly from: Token[]
  readonly most: number
  readonly grammar: LlamaGrammarEvaluationState | undefined
  readonly signal: AbortSignal
  readonly onPiece: (text: string, outputTokens: number) => Promise<void>
}

async function write({ sequence, model, question, from, most, grammar, signal, onPiece }: Writing) {
  const pieces = textPieces<Token>((tokens, before) => model.detokenize(tokens, false, before), question.stop)
  let text = ''
  let bytes = 0
  let outputTokens = 0
  async function give(piece: string): Promise<void> {
    text += piece
    bytes += Buffer.byteLength(piece)
    if (piece !== '') await onPiece(piece, outputTokens)
  }
  async function ended(end: Account['end']) {
    const last = pieces.end()
    await give(last.text)
    return { outputTokens, end: last.isOver ? ('stop' as const) : end, text }
  }
  const { temperature, topP, seed } = question
  const answer = sequence.evaluate(from, {
    ...{ temperature, topP, seed, yieldEogToken: true },
    ...(grammar && { grammarEvaluationState: grammar }),
  })
  for await (const token of answer) {
    if (model.isEogToken(token)) return await ended('stop')
    outputTokens++
    const piece = pieces.push(token)
    await give(piece.text)
    if (piece.isOver) return { outputTokens, end: 'stop' as const, text }
    if (signal.aborted) return await ended('stopped')
    if (outputTokens === most || bytes > MOST_TEXT_BYTES) break
  }
  return await ended('length')
}

async function grammarState(llama: Llama, model: LlamaModel, schema: Schema): Promise<LlamaGrammarEvaluationState> {
  const text = await grammarOf(schema, async known => (await llama.createGrammarForJsonSchema(known as never)).grammar)
  const grammar = await llama.createGrammar({ grammar: text })
  return new LlamaGrammarEvaluationState({ model, grammar })
}
