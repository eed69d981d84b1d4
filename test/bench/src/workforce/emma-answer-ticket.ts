/**
 * Emma answers tickets from a handbook, and escalates what is not in it: by words and meaning where the embedding model of the tests
 * is there, else by words alone, as the figures' names say.
 */
import { existsSync } from 'node:fs'
import { sentenceModel } from '@millhand/embedding/fixture'
import { openEmbedding } from '@millhand/employees/embedding'
import { measure, type Score } from '@millhand/employees/emma/answer_ticket/bar/bar.ts'
import { createLog } from '@millhand/telemetry'
import type { Figure } from '../figure.ts'

const parts = ['tuning', 'held_out', 'tuning_more', 'unseen', 'fresh', 'stranger', 'untouched'] as const

type Scores = Readonly<Record<(typeof parts)[number], Score>>
type Asked = Parameters<typeof measure>[1]

export async function figures(): Promise<Figure[]> {
  const byWords = await scoresOf()
  const byMeaning = existsSync(sentenceModel) ? await scoresByMeaning() : undefined
  return [
    ...(byMeaning
      ? figuresOf('by words and meaning', byMeaning, byWords)
      : figuresOf('by words, as there is no .venv/models/all-minilm-l6-v2', byWords)),
    ...(await overFew()),
  ]
}

async function scoresByMeaning(): Promise<Scores> {
  const log = createLog({ level: 'warn', write: line => process.stderr.write(`${line}\n`) })
  const model = await openEmbedding({ folder: sentenceModel, threads: 1, log })
  const { signal } = new AbortController()
  try {
    return await scoresOf({
      embed: async texts => {
        const said = await model.embed(texts, signal)
        if (said.kind === 'unembedded') throw new Error(said.fault.message)
        return said.vectors
      },
    })
  } finally {
    await model.close()
  }
}

async function scoresOf(asked?: Asked): Promise<Scores> {
  const scores: Partial<Record<(typeof parts)[number], Score>> = {}
  for (const part of parts) scores[part] = await measure([part], asked)
  return scores as Scores
}

/** Of `untouched`, which is of another trade and chose nothing; the other parts, and all of them by words, are details. */
function figuresOf(way: string, scores: Scores, byWords?: Scores): Figure[] {
  const { untouched } = scores
  const figure = (name: string, of: (score: Score) => number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `emma answer_ticket ${way}: ${name}`,
    unit: '%',
    rounds: [of(untouched)],
    limits: [],
    details: Object.fromEntries([
      ...parts.map(part => [part, of(scores[part])]),
      ...(byWords ? parts.map(part => [`${part}_by_words`, of(byWords[part])]) : []),
    ]),
    ...rest,
  })
  return [
    figure('right passage first', right, { aim: { least: 85 } }),
    figure('unanswerable escalated', escalated, { aim: { least: 95 } }),
    figure('answers without a citation', ({ uncited }) => uncited, { unit: '', aim: { most: 0 } }),
    figure('answerable answered', answered),
    figure('of them from the right passage', answeredRight),
  ]
}

/** By words, as somebody tries it first: with a few articles. */
async function overFew(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const articles of [3, 10]) {
    const score = await measure(['untouched'], {}, articles)
    const figure = (name: string, value: number, rest: Partial<Figure> = {}): Figure => ({
      section: 'workforce',
      name: `emma answer_ticket by words, over ${articles} articles: ${name}`,
      unit: '%',
      rounds: [value],
      limits: [],
      details: { first: right(score), of_them_right: answeredRight(score) },
      ...rest,
    })
    figures.push(
      figure('answerable answered', answered(score)),
      figure('unanswerable escalated', escalated(score), { aim: { least: 95 } }),
    )
  }
  return figures
}

const share = (part: number, whole: number) => (100 * part) / whole
const right = ({ rightFirst, answerable }: Score) => share(rightFirst, answerable)
const escalated = ({ escalated: those, unanswerable }: Score) => share(those, unanswerable)
const answered = (score: Score) => share(score.answered, score.answerable)
const answeredRight = (score: Score) => share(score.answeredRight, score.answered)
