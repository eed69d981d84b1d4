/** What the standard panic hook prints, with RUST_BACKTRACE=1 or without. */
import { type Frame, numberOr, type TraceReader } from './trace.ts'

export const rust: TraceReader = lines => {
  const at = lines.findIndex(line => panicked.test(line))
  const [, quoted, file, line, column] = panicked.exec(lines[at] ?? '') ?? []
  if (file === undefined) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex(text => /^(?:stack backtrace:|note: )/.test(text))
  const below = rest.slice(0, end === -1 ? 1 : end).join('\n')
  const message = (quoted ?? below).trim()
  const frames: Frame[] = []
  // The function that panicked, and how many frames are inside it, where its own frame has no place.
  let panicking: { readonly name: string; readonly inside: number } | undefined
  for (const [number, text] of rest.entries()) {
    const name = /^\s{0,6}\d{1,6}: {1,4}(?:0x[0-9a-f]{1,16} - )?(\S.{0,500})$/.exec(text)?.[1]
    if (name === undefined) continue
    const place = /^\s{6,30}at (.{1,1000}?):(\d{1,9})(?::(\d{1,9}))?$/.exec(rest[number + 1] ?? '')
    const bare = name.replace(/::h[0-9a-f]{16}$/, '')
    if (!place) {
      if (ownerOf('', bare) === 'own') panicking ??= { name: bare, inside: frames.length }
      continue
    }
    const from = place[1] ?? ''
    frames.push({
      function: bare,
      file: from,
      line: numberOr(place[2]),
      column: numberOr(place[3]),
      owner: ownerOf(from, name),
    })
  }
  // Programs without debug information, as releases are, name the place in the message alone.
  if (!frames.some(({ owner }) => owner === 'own'))
    frames.splice(panicking?.inside ?? 0, 0, {
      function: panicking?.name ?? null,
      file,
      line: numberOr(line),
      column: numberOr(column),
      owner: ownerOf(file, ''),
    })
  return { language: 'rust', thrown: [{ type: 'panic', message, frames }] }
}

/** Before Rust 1.73 the message stood before the place, in quotes. */
const panicked =
  /^thread '.{0,200}'(?: \(\d{1,12}\))? panicked at (?:'(.{0,1000})', )?(.{1,1000}?):(\d{1,9}):(\d{1,9}):?$/

function ownerOf(file: string, name: string): Frame['owner'] {
  if (/^\/rustc\/|[/\\]rustlib[/\\]src[/\\]/.test(file) || /^<?(?:std|core|alloc|__rustc)::/.test(name))
    return 'runtime'
  return /[/\\]\.?cargo[/\\](?:registry|git)[/\\]|[/\\]registry[/\\]src[/\\]/.test(file) ? 'library' : 'own'
}
