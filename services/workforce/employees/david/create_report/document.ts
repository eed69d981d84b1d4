/** A report before it is written in any format. All texts are plain: whatever stands in them is text. */

export interface Report {
  readonly title: string
  readonly subtitle: string
  readonly sections: readonly Section[]
}

export interface Section {
  readonly heading: string
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'picture'; readonly file: string; readonly svg: string; readonly alternative: string }
  /** As it is, to be copied. */
  | { readonly kind: 'query'; readonly text: string }

/** A number of the report, and the query that gives it. */
export interface Quoted {
  /** As it is written in the report. */
  readonly shown: string
  /** What the query calls it. */
  readonly name: string
  readonly value: number
  readonly sql: string
}
