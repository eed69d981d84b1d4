/** How well tickets are answered from a handbook. Three handbooks, each with its questions, all made for this. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Asked } from '../../../src/kind.ts'
import { rules } from '../engine.ts'
import { type Passage, passagesOf } from '../search/passages.ts'

/**
 * Synonyms were chosen on `tuning` and `tuning_more`, weights and the thresholds on all parts but `fresh`, `stranger` and
 * `untouched`. The last two are over handbooks of other trades and were written before anything was measured on them. `stranger`
 * has chosen nothing in the search by words, and was looked at while that by meaning was made; `untouched` has chosen no weight of
 * either, and alone tells how another team's questions do. All are made up, the ones over a handbook with that handbook in sight.
 */
export type Part = 'tuning' | 'held_out' | 'tuning_more' | 'unseen' | 'fresh' | 'stranger' | 'untouched'

interface Question {
  readonly part: Part
  readonly handbook: string
  readonly ticket: string
  /** The headings of the passages that answer it; none where nothing in the handbook does. */
  readonly passages: readonly string[]
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

export const handbook = read('handbook.md')

export const questions: readonly Question[] = [
  ...questionsOver(handbook, 'questions.tsv'),
  ...questionsOver(read('bikes-handbook.md'), 'bikes-questions.tsv'),
  ...questionsOver(read('storage-handbook.md'), 'storage-questions.tsv'),
]

function questionsOver(handbook: string, name: string): Question[] {
  return read(name)
    .trim()
    .split('\n')
    .map(line => {
      const [part, kind, passages = '', ticket = ''] = line.split('\t')
      return { part: part as Part, handbook, ticket, passages: kind === 'answerable' ? passages.split(' / ') : [] }
    })
}

export interface Score {
  readonly answerable: number
  /** The right passage is the first one, whether it is answered or not. */
  readonly rightFirst: number
  readonly answered: number
  readonly answeredRight: number
  readonly unanswerable: number
  readonly escalated: number
  /** Of all that are answered, the share that is answered rightly; 1 where nothing is. */
  readonly precision: number
  /** Answers without a citation. */
  readonly uncited: number
}

/** How the articles are written: with the headings of Markdown, each of them its own; or as one plain text. */
export type Form = 'markdown' | 'questions and answers' | 'titles' | 'paragraphs alone'

/** The questions of some parts, one after another, each over the whole of its handbook, or over so many articles out of it. */
export async function measure(
  parts: readonly Part[],
  asked: Asked = {},
  articles?: number,
  form: Form = 'markdown',
): Promise<Score> {
  const tried: Awaited<ReturnType<typeof tryOut>>[] = []
  for (const [at, question] of questions.filter(({ part }) => parts.includes(part)).entries())
    tried.push(await tryOut(question, knowledgeFor(question, articles, at, form), asked))
  const count = (is: (question: (typeof tried)[number]) => boolean) => tried.filter(is).length
  const right = count(({ isRight, isAnswered }) => isRight && isAnswered)
  return {
    answerable: count(({ hasAnswer }) => hasAnswer),
    rightFirst: count(({ isRight }) => isRight),
    answered: count(({ hasAnswer, isAnswered }) => hasAnswer && isAnswered),
    answeredRight: right,
    precision:
      right /
        Math.max(
          1,
          count(({ isAnswered }) => isAnswered),
        ) || Number(!count(({ isAnswered }) => isAnswered)),
    unanswerable: count(({ hasAnswer }) => !hasAnswer),
    escalated: count(({ hasAnswer, isAnswered }) => !hasAnswer && !isAnswered),
    uncited: count(({ isUncited }) => isUncited),
  }
}

type Knowledge = readonly { readonly title: string; readonly text: string }[]

function knowledgeFor(question: Question, articles: number | undefined, at: number, form: Form): Knowledge {
  if (form === 'markdown' && articles === undefined) return [{ title: 'Handbook', text: question.handbook }]
  const all = passagesOf({ name: 'Handbook', text: question.handbook })
  const chosen = articles === undefined ? all : few(question, all, articles, at)
  if (form === 'markdown') return chosen.map(({ heading, text }) => ({ title: heading, text }))
  return [{ title: 'Handbook', text: chosen.map(article => written(article, form)).join('\n\n') }]
}

function written({ heading, text }: Passage, form: Exclude<Form, 'markdown'>): string {
  if (form === 'paragraphs alone') return text
  return form === 'titles' ? `${heading}\n${text}` : `Q: ${heading}?\n\nA: ${text}`
}

/** One that answers it, where one does, and others that stand one after another from a place that differs with the question. */
function few({ passages }: Question, all: readonly Passage[], articles: number, at: number): Passage[] {
  const answers = all.filter(({ heading }) => passages.includes(heading)).slice(0, 1)
  const others = all.filter(({ heading }) => !passages.includes(heading))
  const from = (at * STEP) % others.length
  return [...answers, ...[...others.slice(from), ...others.slice(0, from)].slice(0, articles - answers.length)]
}

/** Prime, so that every place of a handbook is begun at. */
const STEP = 17

async function tryOut({ handbook, ticket, passages }: Question, knowledge: Knowledge, asked: Asked) {
  const brief = {
    topic: '',
    tone: '',
    constraints: {},
    files: [],
    seed: 1,
    input: { ticket, knowledge: [...knowledge] },
  }
  const { result, citations = [] } = await rules(brief, asked)
  const isAnswered = result.status === 'answered'
  // Without headings the quotes tell which passages they are from.
  const right = passagesOf({ name: 'Handbook', text: handbook }).filter(({ heading }) => passages.includes(heading))
  const isRight = isAnswered
    ? citations.every(({ quote }) => right.some(({ text }) => text.includes(quote)))
    : passages.some(heading => [heading, `${heading}?`].includes(result.passages[0]?.heading ?? ''))
  return { hasAnswer: passages.length > 0, isAnswered, isRight, isUncited: isAnswered && citations.length === 0 }
}
