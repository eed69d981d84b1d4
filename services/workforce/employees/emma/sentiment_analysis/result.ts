/** The types of `input.schema.json` and `output.schema.json`. */

export interface Input {
  readonly texts?: readonly string[]
  readonly aspects?: readonly string[]
  readonly text_language?: string
}

export type Label = 'positive' | 'neutral' | 'negative'

export interface Shares {
  readonly compound: number
  readonly positive: number
  readonly neutral: number
  readonly negative: number
}

export interface Scores extends Shares {
  readonly label: Label
  /** The mean of what people would say, from about -4 to 4; null where the words decide. */
  readonly rating: number | null
}

/** Of the labels of one method: the share that agrees with people's, of texts that chose nothing. */
export interface Accuracy {
  readonly texts: string
  readonly right: number
}

/** What labels are told by. */
export interface Method {
  readonly name: 'sentence_embeddings' | 'words'
  readonly model: string | null
  readonly accuracy: readonly Accuracy[]
}

export interface ScoredSentence {
  readonly text: string
  readonly scores: Scores
  /** As the reference scores it, which reads word by word. */
  readonly vader: Shares
  readonly words: readonly {
    readonly word: string
    readonly valence: number
    readonly negated: boolean
    readonly emphasis: 'stronger' | 'weaker' | 'none'
  }[]
}

export interface ScoredText {
  readonly source: string
  readonly language: string
  readonly scores: Scores | null
  readonly vader: Shares | null
  readonly sentences: readonly ScoredSentence[]
}

export interface Aspect {
  readonly aspect: string
  readonly given: boolean
  readonly mentions: number
  /** Of them, those with a word that weighs anything: where there is none, the score of 0 says that nothing was measured. */
  readonly weighed: number
  readonly positive: number
  readonly neutral: number
  readonly negative: number
  readonly compound: number | null
  readonly label: Label | null
  readonly quotes: readonly { readonly source: string; readonly quote: string; readonly compound: number }[]
}

export interface Result {
  readonly summary: {
    readonly texts: number
    readonly scored: number
    readonly positive: number
    readonly neutral: number
    readonly negative: number
    readonly compound: number | null
  }
  readonly method: Method
  readonly texts: readonly ScoredText[]
  readonly aspects: readonly Aspect[]
}
