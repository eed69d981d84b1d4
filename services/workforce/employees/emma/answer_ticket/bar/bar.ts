/** How well tickets are answered from a handbook. Three handbooks, each with its questions, all made for this. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Asked } from '../../../../src/kind.ts'
import { rules } from '../engine.ts'

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
  /** Answers without a citation. */
  readonly uncited: number
}

/** The questions of some parts, one after another, each over the whole of its handbook. */
export async function measure(parts: readonly Part[], asked: Asked = {}): Promise<Score> {
  const tried: Awaited<ReturnType<typeof tryOut>>[] = []
  for (const question of questions.filter(({ part }) => parts.includes(part))) tried.push(await tryOut(question, asked))
  const count = (is: (question: (typeof tried)[number]) => boolean) => tried.filter(is).length
  return {
    answerable: count(({ hasAnswer }) => hasAnswer),
    rightFirst: count(({ isRight }) => isRight),
    answered: count(({ hasAnswer, isAnswered }) => hasAnswer && isAnswered),
    answeredRight: count(({ isRight, isAnswered }) => isRight && isAnswered),
    unanswerable: count(({ hasAnswer }) => !hasAnswer),
    escalated: count(({ hasAnswer, isAnswered }) => !hasAnswer && !isAnswered),
    uncited: count(({ isUncited }) => isUncited),
  }
}

async function tryOut({ ticket, handbook, passages }: Question, asked: Asked) {
  const input = { ticket, knowledge: [{ title: 'Handbook', text: handbook }] }
  const brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
  const { result, citations = [] } = await rules(brief, asked)
  const isAnswered = result.status === 'answered'
  const isRight = passages.includes(result.passages[0]?.heading ?? '')
  return { hasAnswer: passages.length > 0, isAnswered, isRight, isUncited: isAnswered && citations.length === 0 }
}
