/** A language model that is loaded in this process, by node-llama-cpp: which no file besides imports. */
import type { Schema } from '@millhand/workforce/employee'
import {
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
  resolveChatWrapper,
  type Token,
} from 'node-llama-cpp'
import { grammarOf } from './grammar.ts'
import type { Account, Load, Question } from './protocol.ts'

export interface LoadedModel {
  /** Ends early, with what there is, once the signal fires. Throws `TooLong` for a question that leaves no room. */
  ask(asked: Question, signal: AbortSignal): Promise<Account & { readonly text: string }>
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

/** What a question and its answer may have together, where the model was made for as much: it costs memory. */
const MOST_CONTEXT_TOKENS = 16_384
const LEAST_OUTPUT_TOKENS = 64
/** Between two of them it is heard whether it is to stop. */
const PORTION_TOKENS = 128
/** Small models say the same again and again where nothing is left to chance. */
const TEMPERATURE = 0.7

/**
 * A file of the form GGUF, on this machine's processor. Throws llama.cpp's own error for what it can't load, or has no memory for.
 */
export async function loadModel({ file, threads }: Load): Promise<LoadedModel> {
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
  const contextSize = Math.min(MOST_CONTEXT_TOKENS, model.trainContextSize)
  const context = await model.createContext({ contextSize, sequences: 1, threads })
  const sequence = context.getSequence()
  const wrapper = resolveChatWrapper(model)
  const room = context.contextSize

  return {
    async ask({ system, prompt, schema, maxOutputTokens, seed }, signal) {
      const { contextText } = wrapper.generateContextState({
        chatHistory: [
          { type: 'system', text: system },
          { type: 'user', text: prompt },
          { type: 'model', response: [] },
        ],
      })
      // By this what somebody wrote is text, also where it reads like a mark of the model's own.
      const tokens = contextText.tokenize(model.tokenizer, 'trimLeadingSpace')
      if (tokens.length + LEAST_OUTPUT_TOKENS > room) throw new TooLong(tokens.length, room - LEAST_OUTPUT_TOKENS)
      const most = Math.min(maxOutputTokens, room - tokens.length)
      const last = tokens.length - 1
      await sequence.adaptStateToTokens(tokens.slice(0, last), false)
      const knownTokens = sequence.nextTokenIndex
      const account = { inputTokens: tokens.length, knownTokens }
      for (let at = knownTokens; at < last; at += PORTION_TOKENS) {
        if (signal.aborted) return { ...account, outputTokens: 0, end: 'stopped', text: '' }
        await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, Math.min(last, at + PORTION_TOKENS)))
      }
      const grammar = schema && (await grammarState(llama, model, schema))
      const { written, end } = await write({ sequence, model, from: tokens.slice(last), most, seed, grammar, signal })
      return { ...account, outputTokens: written.length, end, text: model.detokenize(written) }
    },
  }
}

interface Writing {
  readonly sequence: LlamaContextSequence
  readonly model: LlamaModel
  readonly from: Token[]
  readonly most: number
  readonly seed: number
  readonly grammar: LlamaGrammarEvaluationState | undefined
  readonly signal: AbortSignal
}

async function write({ sequence, model, from, most, seed, grammar, signal }: Writing) {
  const written: Token[] = []
  const options = { temperature: TEMPERATURE, seed, yieldEogToken: true }
  const answer = sequence.evaluate(from, { ...options, ...(grammar && { grammarEvaluationState: grammar }) })
  for await (const token of answer) {
    if (model.isEogToken(token)) return { written, end: 'stop' } as const
    written.push(token)
    if (signal.aborted) return { written, end: 'stopped' } as const
    if (written.length === most) break
  }
  return { written, end: 'length' } as const
}

async function grammarState(llama: Llama, model: LlamaModel, schema: Schema): Promise<LlamaGrammarEvaluationState> {
  const text = await grammarOf(schema, async known => (await llama.createGrammarForJsonSchema(known as never)).grammar)
  const grammar = await llama.createGrammar({ grammar: text })
  return new LlamaGrammarEvaluationState({ model, grammar })
}
