/** What `Exception.ToString()` gives: an inner exception stands inside, with its own frames first. */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const csharp: TraceReader = lines => {
  const open: { type: string; message: string; frames: Frame[] }[] = []
  const closed: Thrown[] = []
  for (const line of lines) {
    if (/^\s*--- End of inner exception stack trace ---/.test(line)) {
      const inner = open.pop()
      if (inner) closed.push(inner)
      continue
    }
    const frame = frameOf(line)
    if (frame) {
      open.at(-1)?.frames.push(frame)
      continue
    }
    for (const part of line.split(/ ---> (?:\(Inner Exception #\d+\) )?/)) {
      const head =
        /^(?:Unhandled exception\. |Unhandled Exception: )?\s*((?:[A-Z]\w{0,60}\.){0,10}[A-Z]\w{0,100}Exception)(?: \(0x[0-9A-F]{8}\))?(?:: (.*))?$/.exec(
          part,
        )
      if (head && (open.length === 0 || line.includes(' ---> ')))
        open.push({ type: head[1] ?? '', message: head[2] ?? '', frames: [] })
    }
  }
  const thrown = [...closed, ...open.toReversed()].filter(({ frames }) => frames.length > 0)
  return thrown.length === 0 ? undefined : { language: 'csharp', thrown }
}

function frameOf(line: string): Frame | undefined {
  const found = /^\s+at ([\w.`<>|$[\],+]{1,400}\(.{0,500}?\))(?: in (.{1,1000}?):line (\d{1,9}))?$/.exec(line)
  if (!found) return undefined
  const [, name = '', file, number] = found
  return { function: name, file: file ?? '', line: numberOr(number), column: null, owner: ownerOf(name, file) }
}

function ownerOf(name: string, file: string | undefined): Frame['owner'] {
  if (/^(?:System|Microsoft|Windows|Internal)\./.test(name)) return 'runtime'
  return file === undefined ? 'library' : 'own'
}
