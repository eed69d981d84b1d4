/** Has a language model do a brief: what it says must be of the kind's output schema, and is measured like any answer. */
import { createHash } from 'node:crypto'
import type { Schema } from '@millhand/workforce/employee'
import type { Answer } from '../answer.ts'
import { type Brief, Refusal } from '../brief.ts'
import type { Asked, Doubts, Phrase, Phrasing } from '../kind.ts'
import { BadAnswer, faultsOf, importOf, type Measured, measured, type RunKind } from '../run-rules.ts'
import { textIn } from '../text/text-files.ts'
import { visibleText } from '../text/visible-text.ts'
import { MOST_QUESTIONS } from './protocol.ts'

/** Of all files together. */
const MOST_FILE_CHARACTERS = 400_000
/** Of an answer that is shown again: characters. */
const MOST_SHOWN = 100_000
/** Of one that is no JSON. Most such were cut off at their longest: shown whole, a small model could read no more. */
const MOST_SHOWN_UNREAD = 2_000

/** Rejects with what `ask` does; with a `BadAnswer` where repairs did not help. */
export async function runLanguageModel(
  kind: RunKind,
  brief: Brief,
  ask: (prompt: string) => Promise<string>,
  asked: Asked = {},
): Promise<Measured> {
  const work = await workOf(kind, brief, asked)
  if ('result' in work) return await measured(kind, brief, work, asked)
  let prompt = work.shown
  let doubted: Doubted | undefined
  for (let tries = 1; ; tries++) {
    const said = await ask(prompt)
    const { answer, faults, shown } = await read(said, work)
    const isLast = tries === MOST_QUESTIONS
    const doubts = answer === undefined || doubted !== undefined || isLast ? [] : await work.doubts(answer.result)
    if (answer !== undefined && doubts.length === 0)
      return await measured(kind, brief, withTries(answer, tries, doubted), asked)
    if (isLast && doubted !== undefined) return await measured(kind, brief, uncorrected(doubted), asked)
    if (isLast) throw new BadAnswer(`${kind.employee} ${kind.id}: ${faults}`)
    if (answer !== undefined) doubted ??= { answer, doubts }
    // What is wrong with it has words of it.
    const wrong = fenced('faults', faults ?? doubts.join('; '))
    const earlier = [fenced('answer', said.slice(0, shown ?? MOST_SHOWN)), wrong].join('\n')
    prompt = `${work.shown}\n\nAn earlier answer could not be used, and this is why:\n${earlier}\nAnswer again, as a whole.`
  }
}

/** An answer in the form asked for, and what is wrong with it. */
interface Doubted {
  readonly answer: Answer
  readonly doubts: readonly string[]
}

function withTries(answer: Answer, tries: number, doubted: Doubted | undefined): Answer {
  const needed = [
    ...(tries > 1 && doubted === undefined
      ? [`The language model needed ${tries} tries to answer in the form asked for.`]
      : []),
    ...(doubted === undefined
      ? []
      : [`The language model was asked again, as an earlier answer was not right: ${shownDoubts(doubted)}.`]),
  ]
  return { ...answer, warnings: [...(answer.warnings ?? []), ...needed] }
}

/** The first answer is delivered, as what came after it could not be read. */
const uncorrected = ({ answer, doubts }: Doubted): Answer => ({
  ...answer,
  warnings: [
    ...(answer.warnings ?? []),
    `This answer is not right: ${shownDoubts({ doubts })}. The language model was asked to correct it and gave no answer in the form asked for.`,
  ],
})

const shownDoubts = ({ doubts }: Pick<Doubted, 'doubts'>): string => {
  const shown = doubts.slice(0, 3).map(doubt => doubt.slice(0, 200).toWellFormed())
  return doubts.length > 3 ? `${shown.join('; ')} and ${doubts.length - 3} more` : shown.join('; ')
}

/** What the language model is asked for, and what is made of it. */
interface Work extends Phrasing<unknown, unknown> {
  readonly shown: string
  /** Of what it says. */
  readonly schema: Schema
  /** Why an answer that has the right form is asked for again, once. */
  doubts(result: unknown): readonly string[] | Promise<readonly string[]>
}

/** The whole of a kind, or the words alone where it has rules for the rest: then perhaps an answer that needs none. */
async function workOf(kind: RunKind, brief: Brief, asked: Asked): Promise<Work | Answer> {
  const { words_schema: schema } = kind
  if (schema === undefined) {
    const { doubts }: { doubts?: Doubts<unknown, unknown> } = await importOf(kind, 'checks.ts')
    return {
      doubts: result => doubts?.(brief, result, asked) ?? [],
      shown: dataOf(brief),
      schema: kind.output_schema,
      answerWith: result => ({ result, text: plainReading(result) }),
    }
  }
  const { phrase }: { phrase: Phrase<unknown, unknown, unknown> } = await importOf(kind, 'phrase.ts')
  const phrasing = await phrase(brief, asked)
  if ('result' in phrasing) return phrasing
  return { ...phrasing, schema, doubts: () => [], shown: fenced('brief', JSON.stringify(phrasing.shown)) }
}

type Read =
  | { readonly answer: Answer; readonly faults?: never; readonly shown?: never }
  | { readonly answer?: never; readonly faults: string; readonly shown: number }

async function read(said: string, { schema, answerWith }: Work): Promise<Read> {
  const value = readJson(said)
  if (value === undefined) return { faults: 'it is no JSON, or not the whole of it', shown: MOST_SHOWN_UNREAD }
  const faults = faultsOf(schema, value)
  if (faults !== undefined) return { faults, shown: MOST_SHOWN }
  try {
    return { answer: await answerWith(value) }
  } catch (error) {
    if (error instanceof BadAnswer) return { faults: error.message, shown: MOST_SHOWN }
    throw error
  }
}

/** The brief as data: between marks that nobody can have written into it. */
function dataOf({ files, ...brief }: Brief): string {
  const texts = files.map((file, at) => ({ name: file.name, text: textIn(file, `files[${at}]`) }))
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > MOST_FILE_CHARACTERS)
    throw new Refusal(
      'files',
      `The files have ${characters} characters together; at most ${MOST_FILE_CHARACTERS} can be read.`,
    )
  return [
    fenced('brief', JSON.stringify(brief)),
    ...texts.map(({ name, text }) => fenced('file', `${JSON.stringify(name)}\n${text}`)),
  ].join('\n\n')
}

/** A mark has a digest of what it holds, so that nothing within can end it. */
function fenced(what: string, text: string): string {
  const mark = `${what}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return `<${mark}>\n${text}\n</${mark}>`
}

/** The value in what a model said, also where it put it into a block of code. */
function readJson(said: string): unknown {
  const block = /```(?:json)?([\s\S]*?)```/.exec(said)?.[1]
  for (const text of [said, block, said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)]) {
    try {
      return JSON.parse(text ?? '', seen)
    } catch {
      // The next reading may do.
    }
  }
  return undefined
}

/**
 * Texts as their reader sees them: what hides in one is neither checked nor wanted. Half of a sign is no text (RFC 8259, section
 * 8.2): what it would become depends on who reads it next.
 */
function seen(name: string, value: unknown): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
    throw new SyntaxError('half of a sign')
  return typeof value === 'string' ? visibleText(value) : value
}

/** A result as somebody would read it out: its texts in their order, lists as lines. */
const plainReading = (result: unknown): string => linesOf(result, '').join('\n')

function linesOf(value: unknown, name: string): string[] {
  if (value === null || value === undefined || value === '' || isEmpty(value)) return []
  if (Array.isArray(value))
    return [...(name === '' ? [] : [`${name}:`]), ...value.flatMap(one => listed(linesOf(one, '')))]
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, key.replaceAll('_', ' ')))
  if (typeof value === 'string' && (name === '' || value.includes('\n') || value.length > 100)) return [value]
  return [name === '' ? String(value) : `${name}: ${value}`]
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

const listed = (lines: readonly string[]) => lines.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`))
