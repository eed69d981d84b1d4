/** What somebody asks an employee for. It comes from outside: data, whatever stands in it. */
export interface Brief<Input = unknown> {
  readonly topic: string
  readonly tone: string
  /** As the kind's input schema has it. */
  readonly input: Input
  /** A BCP 47 tag; absent where none was asked for. */
  readonly language?: string
  readonly audience?: string
  readonly constraints: Constraints
  readonly files: readonly BriefFile[]
  /** Everything that is left to chance comes from it. */
  readonly seed: number
}

export interface Constraints {
  readonly min_words?: number
  readonly max_words?: number
  readonly must_include?: readonly string[]
  readonly avoid?: readonly string[]
}

/** One of the account's files, whole. */
export interface BriefFile {
  readonly name: string
  readonly media_type: string
  readonly bytes: Uint8Array
}

/** The brief can't be done as it stands, or not honestly. The message says what is wrong and what would help. */
export class Refusal extends Error {
  /** Where in the brief, for example `input.text`. */
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.param = param
  }
}
