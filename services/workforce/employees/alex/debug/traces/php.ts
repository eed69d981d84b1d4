/**
 * Uncaught exceptions of PHP, exceptions as text, those that Monolog (Laravel, Symfony) writes, and errors without a
 * trace: https://www.php.net/manual/en/throwable.tostring.php
 */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const php: TraceReader = given => {
  const lines = given.map(withoutTags)
  const told = exceptionsIn(lines)
  if (told.length === 0) return errorIn(lines)
  // Monolog writes the last one first; PHP itself writes first what went wrong first.
  return { language: 'php', thrown: told.some(({ isLogged }) => isLogged) ? told.toReversed() : told }
}

interface Told extends Thrown {
  readonly isLogged: boolean
}

function exceptionsIn(lines: readonly string[]): Told[] {
  const told: Told[] = []
  for (let i = 0; i < lines.length; i++) {
    const head = headOf(lines[i] ?? '')
    if (!head) continue
    // A message may have several lines; the last one ends with the place.
    const ending = lines.slice(i, i + MOST_OF_A_MESSAGE).findIndex(line => placeIn(line, head.isLogged) !== undefined)
    if (ending === -1) continue
    const end = i + ending
    if (!/^(?:Stack trace:|\[stacktrace\])$/.test(lines[end + 1]?.trim() ?? '')) continue
    const place = placeIn(lines[end] ?? '', head.isLogged)
    if (!place) continue
    const message = [head.message, ...lines.slice(i + 1, end + 1)].join('\n')
    const kept = message.slice(0, message.length - place.length)
    told.push({ ...thrownAt(head.type, kept, place, framesBehind(lines, end + 2)), isLogged: head.isLogged })
    i = end
  }
  return told
}

const MOST_OF_A_MESSAGE = 50

interface Head {
  readonly type: string
  /** With the place, where it ends on this line. */
  readonly message: string
  readonly isLogged: boolean
}

function headOf(line: string): Head | undefined {
  const logged = /\[object\] \(([A-Za-z_][\w\\@]{0,300})\(code: \w{1,20}\): (.*)$/.exec(line)
  if (logged) return { type: logged[1]?.replaceAll('\\\\', '\\') ?? '', message: logged[2] ?? '', isLogged: true }
  const found = /(?:\bUncaught |^Next |^)([A-Za-z_][\w\\@]{0,300})(?:: (.*)|( in .*))$/.exec(line)
  return found ? { type: found[1] ?? '', message: found[2] ?? found[3] ?? '', isLogged: false } : undefined
}

interface Place {
  readonly file: string
  readonly line: number | null
  /** Of the text that names it, to the end of the line. */
  readonly length: number
}

/** ` in FILE:LINE` at the end of a line, ` at FILE:LINE)` in a log of Monolog. */
function placeIn(line: string, isLogged: boolean): Place | undefined {
  const start = line.lastIndexOf(isLogged ? ' at ' : ' in ')
  if (start === -1) return undefined
  const found = (isLogged ? /^(.+):(\d{1,9})\)$/ : /^(.+):(\d{1,9})$/).exec(line.slice(start + 4))
  return found ? { file: found[1] ?? '', line: numberOr(found[2]), length: line.length - start } : undefined
}

interface Call {
  readonly file: string | undefined
  readonly line: number | null
  readonly name: string
}

function framesBehind(lines: readonly string[], start: number): Call[] {
  const calls: Call[] = []
  for (const line of lines.slice(start)) {
    const found = /^#\d{1,5} (?:\[internal function\]|(.+?)\((\d{1,9})\)): (.+)$/.exec(line.trim())
    if (!found) break
    const [name = ''] = (found[3] ?? '').replace(/\{closure[^}]{0,300}\}/, '{closure}').split('(', 1)
    calls.push({ file: found[1], line: numberOr(found[2]), name: name.replaceAll('\\\\', '\\') })
  }
  return calls
}

/** PHP names with each place the function that is called there; a frame has the function that the place is in. */
function thrownAt(type: string, said: string, place: Place, calls: readonly Call[]): Thrown {
  // The place of a wrong argument is that of the function, but what fails is the call of it. What is thrown by a
  // function of PHP itself has the place of its call twice.
  const [first] = calls
  const isOfCall = ofCall.test(said) || (first?.file === place.file && first?.line === place.line)
  const places = isOfCall ? calls : [place, ...calls]
  const inside = isOfCall ? calls.slice(1) : calls
  const frames = places.map((at, i): Frame => frameAt(at.file, at.line, inside[i]?.name ?? null))
  return { type, message: said.replace(ofCall, ''), frames }
}

const ofCall = /, called in .{1,1000} on line \d{1,9} and defined$/s

function frameAt(file: string | undefined, line: number | null, name: string | null): Frame {
  const owner =
    file === undefined ? 'runtime' : /[/\\]vendor[/\\]|^phar:|^\/usr\/share\/php/.test(file) ? 'library' : 'own'
  return { function: name, file: file ?? '[internal function]', line, column: null, owner }
}

/** The first error without a trace that ended the program; else the first warning. */
function errorIn(lines: readonly string[]): ReturnType<TraceReader> {
  const found = lines.flatMap(line => errorOf(line) ?? [])
  const first = found.find(({ type }) => type.endsWith('rror')) ?? found[0]
  return first && { language: 'php', thrown: [first] }
}

function errorOf(line: string): Thrown | undefined {
  const end = / on line (\d{1,9})$/.exec(line)
  const kind = end && /\b(Fatal error|Parse error|Compile Error|Warning|Notice|Deprecated):\s{1,4}/.exec(line)
  if (!kind) return undefined
  const said = line.slice(kind.index + kind[0].length, end.index)
  const at = said.lastIndexOf(' in ')
  if (at === -1) return undefined
  const frame = frameAt(said.slice(at + ' in '.length), numberOr(end[1]), null)
  return { type: kind[1] ?? '', message: said.slice(0, at), frames: [frame] }
}

/** Errors that a page shows stand in `<b>` and end with `<br />`. */
const withoutTags = (line: string): string => line.replaceAll(/<\/?b>|<br ?\/?>/g, '')
