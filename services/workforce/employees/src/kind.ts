/** What the code of a kind exports. docs/decisions/workforce.md */
import type { Answer, Check } from './answer.ts'
import type { Brief } from './brief.ts'

/**
 * One unit vector a text, all of one length. Of a text its first 8,192 characters count, and of those 256 word pieces. The
 * same text is not reckoned again soon. Rejects with a `Refusal` beyond 512 texts at once, or 16 times a run; with what fails the
 * run where the model did not answer.
 */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>

/** What there is beside the brief: what the kind's `kind.json` asks for, where the executor has it. */
export interface Asked {
  readonly embed?: Embed
  readonly isolate?: Isolate
}

/**
 * Does `isolated.ts` of the kind in a process of its own that ends after it: for code that nobody has read. `work` and what
 * comes back are JSON, of at most 16 MiB and 8 MiB; `outcome` is what that process said, and to be read like anything from
 * outside.
 */
export type Isolate = (work: unknown) => Promise<Isolated>

export interface Isolated {
  readonly outcome?: unknown
  /** Why the process ended without an answer. */
  readonly ended?: 'crashed' | 'out_of_memory' | undefined
}

/** `engine.ts` of a kind: throws a `Refusal` for what can't be done. */
export type Rules<Input, Result> = (brief: Brief<Input>, asked?: Asked) => Answer<Result> | Promise<Answer<Result>>

/**
 * `phrase.ts` of a kind: does by rules what rules do, and leaves the words to a language model; nothing where there is nothing
 * to say. Throws a `Refusal` as rules do.
 */
export type Phrase<Input, Result, Words> = (
  brief: Brief<Input>,
  asked?: Asked,
) => Phrasing<Result, Words> | Answer<Result> | Promise<Phrasing<Result, Words> | Answer<Result>>

/**
 * `depict.ts` of a kind: has an image model make a picture, and does the rest by rules. What comes is foreign bytes, whatever
 * they say they are. Throws a `Refusal` as rules do, a `BadAnswer` for what is no picture to work with.
 */
export type Depict<Input, Result> = (
  brief: Brief<Input>,
  ask: (wish: { readonly prompt: string; readonly width: number; readonly height: number }) => Promise<Uint8Array>,
) => Promise<Answer<Result>>

/** What is to be put into words. */
export interface Phrasing<Result, Words> {
  /** All that the language model gets to see of the brief. */
  readonly shown: unknown
  /** `words` are as `words.schema.json` says. Throws a `BadAnswer` that says what is wrong with them. */
  readonly answerWith: (words: Words) => Answer<Result> | Promise<Answer<Result>>
}

/** `checks.ts` of a kind. */
export type Checks<Input, Result, Given = readonly Check[]> = (
  brief: Brief<Input>,
  answer: Answer<Result>,
  asked?: Asked,
) => Given

/**
 * `doubts` in `checks.ts` of a kind that a language model does as a whole: what is wrong with its answer, such as a claim that
 * the brief does not hold or a test that fails, in words for who wrote it. It is asked for again once. Throws a `BadAnswer` for
 * what is not worth asking again.
 */
export type Doubts<Input, Result> = (
  brief: Brief<Input>,
  result: Result,
  asked?: Asked,
) => readonly string[] | Promise<readonly string[]>

/** The same where measuring waits for something, a database for example. */
export type SlowChecks<Input, Result> = Checks<Input, Result, Promise<readonly Check[]>>
