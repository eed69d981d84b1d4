/** V8 (Node, Chrome, Deno, Bun) and, by their `@`, Firefox and Safari. https://v8.dev/docs/stack-trace-api */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const javascript: TraceReader = lines => {
  const thrown: Thrown[] = []
  let between: string[] = []
  let frames: Frame[] | undefined
  let place: Frame | undefined
  let isCause = false
  for (const line of lines) {
    const frame = frameOf(line)
    if (!frame) {
      if (!/^\s*(?:at |\.\.\. \d+ )/.test(line)) frames = undefined
      if (!frames) between.push(line)
      continue
    }
    if (!frames) {
      if (thrown.length > 0 && !between.some(text => /\[cause\]:/.test(text))) break
      isCause = thrown.length > 0
      place ??= headPlace(between)
      frames = []
      thrown.push({ ...saidIn(between), frames })
      between = []
    }
    frames.push(frame)
  }
  if (thrown.length === 0) {
    // A string that is thrown, or a file that can not be read, has no frames but the place above.
    place = headPlace(lines)
    const said = saidIn(lines)
    return place && said.type !== '' ? { language: 'javascript', thrown: [{ ...said, frames: [place] }] } : undefined
  }
  const [first] = thrown
  if (
    first &&
    place &&
    first.type === 'SyntaxError' &&
    first.frames[0]?.owner === 'runtime' &&
    place.owner !== 'runtime'
  )
    thrown[0] = { ...first, frames: [place, ...first.frames] }
  else if (first) thrown[0] = withImporter(first)
  return { language: 'javascript', thrown: isCause ? thrown.toReversed() : thrown }
}

/** Of a module that is not found only the message says who asked for it. */
function withImporter(thrown: Thrown): Thrown {
  const file = /^Cannot find (?:package|module) '[^']{1,500}' imported from (\S.{0,999})$/m.exec(thrown.message)?.[1]
  if (file === undefined || thrown.frames.some(({ owner }) => owner !== 'runtime')) return thrown
  const path = plainFile(file)
  return {
    ...thrown,
    frames: [{ function: null, file: path, line: null, column: null, owner: ownerOf(path) }, ...thrown.frames],
  }
}

function frameOf(line: string): Frame | undefined {
  const v8 = /^\s*at (?:(.{1,300}) \((.{1,1000})\)|(.{1,1000}?))(?: \{)?$/.exec(line)
  if (v8) {
    const [, name, inside, alone = ''] = v8
    return placed(inside ?? alone.replace(/^async /, ''), name?.replace(/^async /, '') ?? null)
  }
  const gecko = /^([^\s@(]{0,300})@((?:https?|file|moz-extension):\/\/.{1,1000}|\/.{1,1000})$/.exec(line)
  return gecko?.[2] === undefined ? undefined : placed(gecko[2], gecko[1] || null)
}

function placed(where: string, name: string | null): Frame | undefined {
  const found = /^(.*?):(\d{1,9})(?::(\d{1,9}))?$/.exec(where)
  if (!found)
    return /^(?:<anonymous>|native)$/.test(where)
      ? { function: name, file: where, line: null, column: null, owner: 'runtime' }
      : undefined
  const [, file = '', line, column] = found
  return { function: name, file: plainFile(file), line: numberOr(line), column: numberOr(column), owner: ownerOf(file) }
}

const plainFile = (file: string) =>
  file
    .replace(/^file:\/\//, '')
    .replace(/^webpack(?:-internal)?:\/\/\/?/, '')
    .replace(/[?#].*$/, '')

function ownerOf(file: string): Frame['owner'] {
  if (/^(?:node:|internal\/|native|<anonymous>|evalmachine|chrome-extension:|ext:|deno:)/.test(file)) return 'runtime'
  return /(?:^|[/\\])(?:node_modules|bower_components|\.yarn|\.pnpm)[/\\]|^npm:|\/\/(?:cdn\.|unpkg\.|esm\.sh)/.test(
    file,
  )
    ? 'library'
    : 'own'
}

/** Node writes where an error was not caught on a line above it. */
function headPlace(lines: readonly string[]): Frame | undefined {
  const head = lines.find(line => /^(?:file:\/\/)?(?:\/|[A-Za-z]:\\|node:)[^\s].{0,1000}:\d{1,9}$/.test(line))
  return head === undefined ? undefined : placed(head, null)
}

/** The error that is named before its frames. */
function saidIn(lines: readonly string[]): { type: string; message: string } {
  for (const [at, line] of lines.entries()) {
    const said =
      /(?:^|Uncaught |\[cause\]: |\(in promise\) |\s)([A-Z][\w$.]{0,100}(?:Error|Exception|Rejection)|Error|DOMException)(?: \[[\w]{1,60}\])?(?:: (.*))?$/.exec(
        line,
      )
    const [, type, message = ''] = said ?? []
    if (type === undefined) continue
    const more = lines.slice(at + 1).findIndex(next => next.trim() === '')
    const rest = lines.slice(at + 1, more === -1 ? lines.length : at + 1 + more)
    return { type, message: [message, ...rest].join('\n').trim() }
  }
  return { type: '', message: lines.findLast(line => line.trim() !== '')?.trim() ?? '' }
}
