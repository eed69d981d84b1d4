/** `/changelog`: what has changed for callers and operators, the newest first. Needs no key. */
import { readFileSync } from 'node:fs'
import type { Endpoint } from '../../pipeline/match.ts'
import { negotiated } from '../content-negotiation.ts'
import type { Changelog, Entry } from './changelog-document.ts'
import { writeChangelog } from './changelog-html.ts'

/** `entries.json` beside this is where entries are added: at its beginning. */
export function changelog(): Endpoint {
  const entries: readonly Entry[] = JSON.parse(readFileSync(new URL('entries.json', import.meta.url), 'utf8'))
  const content: Changelog = { object: 'changelog', entries }
  return negotiated({ path: '/changelog', content: () => content, write: writeChangelog })
}
