/**
 * Uncaught exceptions of PHP, exceptions as text, those that Monolog (Laravel, Symfony) writes, and errors without a
 * trace: https://www.php.net/manual/en/throwable.tostring.php
 */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const php: TraceReader = given => {
  const lines = given.flatMap(line => withoutTags(line).split(/\\n(?=\[previous exception\] )/))
  const thrown = exceptionsIn(lines)
  if (thrown.length === 0) return errorIn(lines)
  // Monolog writes the last one first; PHP itself writes first what went wrong first.
  return { language: 'php', thrown: thrown.some(({ isLogged }) => isLogged) ? thrown.toReversed() : thrown }
}

interface PhpThrown extends Thrown {
  readonly isLogged: boolean
}

/** The first exception and those that it led to. */
function exceptionsIn(lines: readonly string[]): PhpThrown[] {
  const thrown: PhpThrown[] = []
  const heads = lines.map(headOf)
  for (let i = 0; i < lines.length; i++) {
    const head = heads[i]
    if (!head) continue
    const end = endOf(lines, heads, i, head)
    const place = end === undefined ? undefined : placeIn(lines[end] ?? '', head.isLogged)
    if (end === undefined || !place) continue
    // A log goes on with other failures, and a program may write its own twice.
    if (thrown.length > 0 && head.form !== 'next') break
    const message = [head.message, ...lines.slice(i + 1, end + 1)].join('\n')
    const kept = message.slice(0, message.length - place.length)
    const said = head.isLogged ? kept.replaceAll(/\\(["\\/])/g, '$1') : kept
    thrown.push({ ...thrownAt(head.type, said, place, framesBehind(lines, end + 2)), isLogged: head.isLogged })
    i = end
  }
  return thrown
}

const MOST_OF_A_MESSAGE = 50

/** The line with the place, with which the message ends; undefined where the head is of something else. */
function endOf(
  lines: readonly string[],
  heads: readonly (Head | undefined)[],
  start: number,
  head: Head,
): number | undefined {
  for (let at = start; at < Math.min(lines.length, start + MOST_OF_A_MESSAGE); at++) {
    const line = lines[at] ?? ''
    // What the program wrote before, such as `Total: 5`, and another exception are no part of the message.
    if (at > start && (isSure(heads[at]) || (head.form === 'bare' && !isNamedAsException(head.type)))) return undefined
    if (!placeIn(line, head.isLogged)) continue
    const isTraced =
      /^(?:Stack trace:|\[stacktrace\])$/.test(lines[at + 1]?.trim() ?? '') ||
      (head.isLogged && heads[at + 1]?.form === 'next')
    const isAlone = head.isLogged ? !line.endsWith(')') : /Fatal error: +Uncaught /.test(lines[start] ?? '')
    return isTraced || isAlone ? at : undefined
  }
  return undefined
}

const isNamedAsException = (type: string) => /(?:Exception|Error|@anonymous)$|\\/.test(type)
const isSure = (head: Head | undefined) => head !== undefined && head.form !== 'bare'

interface Head {
  readonly type: string
  /** With the place, where it ends on this line. */
  readonly message: string
  /** `next`: what the one before led to, or in a log what led to it. `bare`: there is only the name of the class. */
  readonly form: 'first' | 'next' | 'bare'
  readonly isLogged: boolean
}

function headOf(line: string): Head | undefined {
  const logged = /(\[previous exception\] )?\[object\] \(([A-Za-z_][\w\\@]{0,300})\(code: \w{1,20}\): (.*)$/.exec(line)
  if (logged) {
    const [, isPrevious, type = '', message = ''] = logged
    return { type: type.replaceAll('\\\\', '\\'), message, form: isPrevious ? 'next' : 'first', isLogged: true }
  }
  const found = /(\bUncaught |^Next |^)([A-Za-z_][\w\\@]{0,300})(?:: (.*)|( in .*))$/.exec(line)
  if (!found) return undefined
  const [, lead, type = '', message, place = ''] = found
  const form = lead === 'Next ' ? 'next' : lead === '' ? 'bare' : 'first'
  return { type, message: message ?? place, form, isLogged: false }
}

interface Location {
  readonly file: string
  readonly line: number | null
  /** Of the text that names it, to the end of the line. */
  readonly length: number
}

/** ` in FILE:LINE` at the end of a line; in a log of Monolog ` at FILE:LINE)`, and `"` where no trace follows. */
function placeIn(line: string, isLogged: boolean): Location | undefined {
  const start = line.lastIndexOf(' in ')
  const found = isLogged
    ? Array.from(line.matchAll(/ at ((?:(?! at )[^"]){1,1000}):(\d{1,9})\)(?=$|")/g)).at(-1)
    : start === -1
      ? null
      : /^ in (.+):(\d{1,9})$/.exec(line.slice(start))
  if (!found) return undefined
  const at = isLogged ? found.index : start
  return { file: found[1] ?? '', line: numberOr(found[2]), length: line.length - at }
}

interface Call {
  readonly file: string | undefined
  readonly line: number | null
  readonly name: string
}

function framesBehind(lines: readonly string[], start: number): Call[] {
  const calls: Call[] = []
  let isOpen = false
  for (const line of lines.slice(start)) {
    const found = /^#\d{1,5} (?:\[internal function\]|(.+?)\((\d{1,9})\)): (.+)$/.exec(line.trim())
    // An argument may have several lines.
    if (!found && !isOpen) break
    isOpen = !line.endsWith(')')
    if (!found) continue
    const [name = ''] = (found[3] ?? '').replace(/\{closure[^}]{0,300}\}/, '{closure}').split('(', 1)
    calls.push({ file: found[1], line: numberOr(found[2]), name: name.replaceAll('\\\\', '\\') })
  }
  return calls
}

/** PHP names with each place the function that is called there; a frame has the function that the place is in. */
function thrownAt(type: string, said: string, place: Location, calls: readonly Call[]): Thrown {
  // The place of a wrong argument is that of the function, but what fails is the call of it. What is thrown by a
  // function of PHP itself has the place of its call twice; so has an error that a handler made an exception of.
  const again = calls
    .slice(0, MOST_OF_A_HANDLER)
    .findIndex(({ file, line }) => file === place.file && line === place.line)
  const kept = calls.slice(Math.max(0, again))
  const isOfCall = ofCall.test(said) || again !== -1
  const places = isOfCall ? kept : [place, ...kept]
  const inside = isOfCall ? kept.slice(1) : kept
  const frames = places.map((at, i): Frame => frameAt(at.file, at.line, inside[i]?.name ?? null))
  return { type, message: said.replace(ofCall, ''), frames }
}

/** Calls within a handler of errors, such as those of Laravel and Symfony. */
const MOST_OF_A_HANDLER = 3

const ofCall =
  /, called in .{1,1000} on line \d{1,9} and defined$| in .{1,1000} on line \d{1,9}(?= and (?:exactly|at (?:least|most)) \d{1,5} expected$)/s

function frameAt(file: string | undefined, line: number | null, name: string | null): Frame {
  const owner =
    file === undefined ? 'runtime' : /(?:^|[/\\])vendor[/\\]|^phar:|^\/usr\/share\/php/.test(file) ? 'library' : 'own'
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
  const file = said.slice(at + ' in '.length)
  // Other programs warn of lines too.
  if (at === -1 || !/\.(?:php\d?|phtml|inc)\b|[/\\]|^(?:Standard input|Command line|php shell) code$/.test(file))
    return undefined
  const frame = frameAt(file, numberOr(end[1]), null)
  return { type: kind[1] ?? '', message: said.slice(0, at), frames: [frame] }
}

/** Errors that a page shows stand in `<b>` and end with `<br />`. */
const withoutTags = (line: string): string => line.replaceAll(/<\/?b>|<br ?\/?>/g, '')
