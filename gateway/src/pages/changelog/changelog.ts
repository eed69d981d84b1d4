/** `/changelog`: what has changed for callers and operators, the newest first. Needs no key. */
import { readFileSync } from 'node:fs'
import type { Endpoint } from '../../pipeline/match.ts'
import { negotiated } from '../negotiated.ts'
import { writeChangelog } from './write-changelog.ts'

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

/** `entries.json` beside this is where entries are added: at its beginning. */
export function changelog(): Endpoint {
  const entries: readonly Entry[] = JSON.parse(readFileSync(new URL('entries.json', import.meta.url), 'utf8'))
  const content: Changelog = { object: 'changelog', entries }
  return negotiated({ path: '/changelog', content: () => content, write: writeChangelog })
}
