/** Reads a stack trace: where it failed, in which code, what is likely, and a change where a linter can prove it. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { plain } from '../finding.ts'
import { linesOf } from '../lines.ts'
import { whyUnread } from '../lint.ts'
import { type Source, sourcesOf } from '../source.ts'
import { TYPES_LEFT } from '../type-lint.ts'
import { meaningOf } from './known-errors.ts'
import { mend } from './mend.ts'
import type { Cause, CodeLine, Input, Raised, Result } from './result.ts'
import { shownLine } from './shown-line.ts'
import { failingFrame, readTrace } from './traces/read-trace.ts'
import type { Frame, Thrown, Trace } from './traces/trace.ts'

const MOST_FRAMES = 100
const MOST_CAUSES = 6
/** Others of a group: so many are listed, and so many are among the causes. */
const MOST_OTHERS = 100
const MOST_OTHER_CAUSES = 3
const CONTEXT = 3

export async function rules(brief: Brief<Input>): Promise<Answer<Result>> {
  const sources = sourcesOf(brief)
  const trace = readTrace(brief.input.trace)
  if (!trace)
    throw new Refusal(
      'input.trace',
      'This is not a stack trace of JavaScript, TypeScript, Python, Go, Java, Ruby, PHP, Rust or C#. Give everything that the program printed when it failed.',
    )
  const found = failingFrame(trace, frame => sourceOf(frame, sources) !== undefined)
  const source = found && sourceOf(found, sources)
  const failed = found && source ? placedIn(source, found, trace) : found
  const { causes, change, warnings } = await explained(trace, failed, source, sources)
  const [first, ...became] = trace.thrown.map(({ type, message }) => ({ type: plain(type), message: plain(message) }))
  const result: Result = {
    language: trace.language,
    error: first ?? { type: '', message: '' },
    became,
    others: (trace.beside ?? []).slice(0, MOST_OTHERS).map(raised),
    failing_frame: failed ? told(failed) : null,
    code: source && failed?.line ? linesAround(source, failed.line) : [],
    frames: (trace.thrown[0]?.frames ?? []).slice(0, MOST_FRAMES).map(told),
    causes,
    change,
  }
  return { result, text: readingOf(result), warnings: [...warnings, ...leftOut(trace), ...unheeded(brief)] }
}

async function explained(
  trace: Trace,
  failed: Frame | undefined,
  source: Source | undefined,
  sources: readonly Source[],
): Promise<Pick<Result, 'causes' | 'change'> & { readonly warnings: string[] }> {
  const place = { file: failed?.file ?? null, line: failed?.line ?? null }
  const meanings = trace.thrown.slice(0, MOST_CAUSES).flatMap((thrown): Cause[] => {
    const meaning = meaningOf(trace.language, thrown)
    return meaning ? [{ ...meaning, from: 'error', rule: null, ...place }] : []
  })
  const causes = [...meanings.slice(0, 1), ...handledBefore(trace), ...othersOfItsGroup(trace)]
  if (!failed) return { causes, change: null, warnings: ['No frame of the trace is of the project itself.'] }
  if (!source)
    return {
      causes,
      change: null,
      warnings: [`${plain(failed.file)} was not given: with it the code would be checked too.`],
    }
  if (failed.line === null)
    return {
      causes,
      change: null,
      warnings: [`The trace names no line of ${source.path}, so its code was not checked.`],
    }
  const unread = whyUnread(source)
  if (unread) return { causes, change: null, warnings: [`${source.path}: ${unread}`] }
  try {
    const { near, mended, isWhole } = await mend(source, failed.line, sources)
    const seen = near.map(
      ({ message, why, fix, rule, line }): Cause => ({
        cause: `${message} ${why}`,
        advice: fix,
        from: 'linter',
        rule,
        file: source.path,
        line,
      }),
    )
    const change = mended && {
      file: mended.file,
      patch: mended.patch,
      why: mended.why,
      proof: { rule: mended.rule, before: mended.before, after: mended.after },
    }
    return {
      causes: withoutTwice([...causes, ...seen]).slice(0, MOST_CAUSES),
      change: change ?? null,
      warnings: isWhole ? [] : [TYPES_LEFT],
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { causes, change: null, warnings: [`${source.path} is nested too deeply to be read.`] }
  }
}

/** The line that imports what is not found, where the trace names the file alone. */
function placedIn({ text, language }: Source, frame: Frame, { thrown }: Trace): Frame {
  const wanted = /^Cannot find (?:package|module) '([^']+)'/m.exec(thrown[0]?.message ?? '')?.[1]
  if (frame.line !== null || wanted === undefined) return frame
  const quoted = ['"', "'", '`'].flatMap(quote => [`${quote}${wanted}${quote}`, `${quote}${wanted}/`])
  const isImport = (line: string) => importing.test(line) && quoted.some(each => line.includes(each))
  const at = linesOf(text, language).findIndex(isImport)
  return at === -1 ? frame : { ...frame, line: at + 1 }
}

const importing = /^(?!\s*(?:\/\/|\/?\*)).{0,1000}\b(?:import|export|from|require)\b/

const handledBefore = ({ language, handled }: Trace): Cause[] =>
  handled
    ? [
        causeOf(
          language,
          handled,
          'It went wrong while another error was handled',
          'Where that one was not expected, look at it first.',
        ),
      ]
    : []

/** Those that failed in the project's own code first. */
const othersOfItsGroup = ({ language, beside = [] }: Trace): Cause[] =>
  beside
    .toSorted((a, b) => Number(raised(a).file === null) - Number(raised(b).file === null))
    .slice(0, MOST_OTHER_CAUSES)
    .map(one => causeOf(language, one, 'Another exception of the same group', 'Look at it too: both were raised.'))

function causeOf(language: Trace['language'], thrown: Thrown, said: string, otherwise: string): Cause {
  const meaning = meaningOf(language, thrown)
  const one = raised(thrown)
  return {
    cause: `${said}: ${namedWithPlace(one)}`,
    advice: meaning ? `${meaning.cause} ${meaning.advice}` : otherwise,
    from: 'error',
    rule: null,
    file: one.file,
    line: one.line,
  }
}

function raised({ type, message, frames }: Thrown): Raised {
  const { file = null, line = null } = frames.find(({ owner }) => owner === 'own') ?? {}
  return { type: plain(type), message: plain(message), file: file === null ? null : plain(file), line }
}

const namedWithPlace = ({ type, message, file, line }: Raised): string =>
  [type, message].filter(part => part !== '').join(': ') +
  (file === null || line === null ? '' : ` (${file}, line ${line})`)

/** What of a group is not in the result. */
function leftOut({ beside = [], left = 0 }: Trace): string[] {
  const more = Math.max(0, beside.length - MOST_OTHERS)
  return [
    ...(more > 0
      ? [`Of the other exceptions of the group the first ${MOST_OTHERS} are listed, and ${more} are not.`]
      : []),
    ...(left > 0
      ? [
          `The trace leaves out ${left} ${left === 1 ? 'exception' : 'exceptions'} of the group: Python prints up to 15 of one group, and groups up to 10 deep.`,
        ]
      : []),
  ]
}

/** What the error says of a line and what a rule says are one cause where they come to the same. */
function withoutTwice(causes: readonly Cause[]): Cause[] {
  const told = new Set<string>()
  return causes.filter(({ line, advice }) => {
    const before = told.size
    return told.add(`${line} ${advice}`).size > before
  })
}

/** The file that the trace means: its path ends as the frame's or the other way round; for own code the same name will do. */
function sourceOf({ file, owner }: Frame, sources: readonly Source[]): Source | undefined {
  const where = `/${file.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')}`
  const [same, other] = sources
    .filter(({ path }) => where.endsWith(`/${path}`) || `/${path}`.endsWith(where))
    .toSorted((a, b) => b.path.length - a.path.length)
  if (same) return other?.path.length === same.path.length ? undefined : same
  const name = where.slice(where.lastIndexOf('/'))
  const named = sources.filter(({ path }) => `/${path}`.endsWith(name))
  return owner === 'own' && named.length === 1 ? named[0] : undefined
}

const told = (frame: Frame): Frame => ({
  ...frame,
  function: frame.function === null ? null : plain(frame.function),
  file: plain(frame.file),
})

const linesAround = ({ text, language }: Source, line: number): CodeLine[] =>
  linesOf(text, language)
    .map((content, at) => ({ line: at + 1, content }))
    .slice(Math.max(0, line - 1 - CONTEXT), line + CONTEXT)
    .map(({ line: number, content }) => ({ line: number, text: shownLine(content) }))

/** What went wrong, as plain text. */
function readingOf({ error, became, others, failing_frame, causes, change }: Result): string {
  const what = [error.type, error.message].filter(part => part !== '').join(': ')
  const where = failing_frame
    ? `It failed in ${failing_frame.file}${failing_frame.line === null ? '' : `, line ${failing_frame.line}`}${failing_frame.function === null ? '' : `, in ${failing_frame.function}`}.`
    : 'No frame of the trace is of the project itself.'
  return [
    what === '' ? 'It failed without a word.' : what,
    where,
    ...became.map(({ type, message }) => `It then became ${type}${message === '' ? '' : `: ${message}`}`),
    ...causes.map(
      ({ cause, advice, from, rule }) => `${from === 'linter' ? `Seen by ${rule}: ` : ''}${cause}\n  ${advice}`,
    ),
    ...others
      .map(namedWithPlace)
      .filter(name => !causes.some(({ cause }) => cause.endsWith(`: ${name}`)))
      .map(name => `Also in the group: ${name}`),
    ...(change ? [`A change of ${change.file} is given: ${change.proof.rule} no longer reports it.`] : []),
  ].join('\n')
}
