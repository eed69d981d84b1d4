/** The JSON of the changelog. */

/** `entries.json`, as the page's JSON shows it, too. */
export interface Changelog {
  readonly object: 'changelog'
  /** The newest day first. */
  readonly entries: readonly Entry[]
}

export interface Entry {
  /** Names it in the page's address: `/changelog#<id>`. */
  readonly id: string
  /** `2026-11-21`. */
  readonly date: string
  readonly type: 'added' | 'changed' | 'deprecated' | 'fixed'
  /** What has changed, in a sentence. */
  readonly text: string
  /** Where it says more: a path of this server, or a URL. */
  readonly link?: string
}
