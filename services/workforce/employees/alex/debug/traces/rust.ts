/** What the standard panic hook prints, with RUST_BACKTRACE=1 or without. */
import { type Frame, numberOr, type TraceReader } from './trace.ts'

export const rust: TraceReader = lines => {
  const at = lines.findIndex(line => panicked.test(line))
  const [, file, line, column] = panicked.exec(lines[at] ?? '') ?? []
  if (file === undefined) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex(text => /^(?:stack backtrace:|note: )/.test(text))
  const message = rest
    .slice(0, end === -1 ? 1 : end)
    .join('\n')
    .trim()
  const frames: Frame[] = []
  for (const [number, text] of rest.entries()) {
    const name = /^\s{0,6}\d{1,6}: {1,4}(?:0x[0-9a-f]{1,16} - )?(\S.{0,500})$/.exec(text)?.[1]
    const place = /^\s{6,30}at (.{1,1000}?):(\d{1,9})(?::(\d{1,9}))?$/.exec(rest[number + 1] ?? '')
    if (name === undefined || !place) continue
    const from = place[1] ?? ''
    frames.push({
      function: name.replace(/::h[0-9a-f]{16}$/, ''),
      file: from,
      line: numberOr(place[2]),
      column: numberOr(place[3]),
      owner: ownerOf(from, name),
    })
  }
  const place: Frame = {
    function: null,
    file,
    line: numberOr(line),
    column: numberOr(column),
    owner: ownerOf(file, ''),
  }
  return { language: 'rust', thrown: [{ type: 'panic', message, frames: frames.length > 0 ? frames : [place] }] }
}

const panicked = /^thread '.{0,200}'(?: \(\d{1,12}\))? panicked at (.{1,1000}?):(\d{1,9}):(\d{1,9}):?$/

function ownerOf(file: string, name: string): Frame['owner'] {
  if (/^\/rustc\/|[/\\]rustlib[/\\]src[/\\]/.test(file) || /^(?:std|core|alloc|__rustc)::/.test(name)) return 'runtime'
  return /[/\\]\.?cargo[/\\](?:registry|git)[/\\]|[/\\]registry[/\\]src[/\\]/.test(file) ? 'library' : 'own'
}
