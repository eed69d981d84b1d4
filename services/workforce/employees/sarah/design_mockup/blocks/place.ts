/** What a block has to know of the page that it stands in. */
export interface Place {
  /** Unique in the page. */
  readonly id: string
  /** Of its heading. */
  readonly level: 1 | 2
  /** In an app blocks are panels, on a page they are bands across it. */
  readonly app: boolean
}
