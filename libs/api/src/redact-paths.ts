/** Paths of the machine that serves: no message to a caller has one. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where Millhand lies with its packages; empty at the root of a file system, where it can't be told from other paths. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
/** The temporary files that it and libvips make. */
const TEMPORARY = ['millhand-', 'vips-'].map(name => join(tmpdir(), name))
const OWN = ROOT === '' ? TEMPORARY : [ROOT, ...TEMPORARY]

/** Signs that end a path in a text, in JSON too. */
const END = '\\s"\'`<>()\\[\\]{},;|\\\\'
/** A folder whose name only begins with that of ours is another. */
const pattern = (path: string) => (path === ROOT ? `${literal(path)}(?![\\w-])` : literal(path))
const own = new RegExp(`(?:file://)?(?:${OWN.map(pattern).join('|')})[^${END}]*`, 'g')
const absolute = /(?<![\w./-])(?:file:\/\/)?\/(?:[\w.@+~-]+\/)+[\w.@+~:-]*/g

/** The text without paths of Millhand's own files. For texts that quote a caller, whose own paths stay. */
export function withoutOwnPaths(text: string): string {
  return OWN.some(path => text.includes(path)) ? text.replace(own, '…') : text
}

/** The text without any absolute path: what a library says of its files, of ours, or of where it was built. */
export function withoutPaths(text: string): string {
  return withoutOwnPaths(text).replace(absolute, '…')
}

function literal(text: string): string {
  return text.replaceAll(/[^\w/]/g, '\\$&')
}
