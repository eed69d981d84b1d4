/** What `Exception#full_message` prints, the innermost place first. */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const ruby: TraceReader = lines => {
  const thrown: Thrown[] = []
  let frames: Frame[] | undefined
  for (const line of lines) {
    const from = /^\s+(?:\d{1,9}: )?from (.+)$/.exec(line)
    if (from) {
      const frame = frameOf(from[1] ?? '')
      if (frame) frames?.push(frame)
      continue
    }
    const head =
      /^(\S.{0,1000}?:\d{1,9}:in [`'].{1,300}?'): (.*)$/.exec(line) ?? /^(\S{1,1000}?\.rb:\d{1,9}): (.*)$/.exec(line)
    const frame = head && frameOf(head[1] ?? '')
    if (!head || !frame) continue
    const [, message = '', type = 'RuntimeError'] = /^(.*) \(([A-Z][\w:]{0,200})\)$/.exec(head[2] ?? '') ?? [
      undefined,
      head[2],
    ]
    frames = [frame]
    thrown.push({ type, message, frames })
  }
  return thrown.length === 0 ? undefined : { language: 'ruby', thrown: thrown.toReversed() }
}

function frameOf(place: string): Frame | undefined {
  const found = /^(.{1,1000}?):(\d{1,9})(?::in [`'](.{1,300}?)')?$/.exec(place)
  if (!found) return undefined
  const [, file = '', line, name] = found
  // What is written in C stands where it was called from, under its own name; the line is the caller's.
  return {
    function: !name || name === '<main>' ? null : name,
    file,
    line: numberOr(line),
    column: null,
    owner: ownerOf(file),
  }
}

function ownerOf(file: string): Frame['owner'] {
  if (/[/\\]gems[/\\]|[/\\]bundle[/\\]/.test(file)) return 'library'
  return /^<internal:|[/\\]lib[/\\]ruby[/\\]/.test(file) ? 'runtime' : 'own'
}
