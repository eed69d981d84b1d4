/** What holding a request to its plan costs in the gateway. */
import { alternate } from '../alternate.ts'
import { startChild } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { Answer, Question } from '../fill/limit-child.ts'
import type { Workbench } from '../workbench.ts'

const REQUESTS = 500_000

export async function limit(workbench: Workbench): Promise<Figure[]> {
  const { all } = await alternate(workbench.rounds, {
    async all() {
      await using child = startChild<Question, Answer>(new URL('../fill/limit-child.ts', import.meta.url))
      return await child.ask({ requests: REQUESTS })
    },
  })
  const figure = (name: string, of: (answer: Answer) => number): Figure => ({
    section: 'limit',
    name,
    unit: 'µs',
    rounds: all.map(answer => of(answer) / 1000),
    limits: [{ name: 'without a limit', rounds: all.map(({ unlimited }) => unlimited / 1000) }],
    details: {},
  })
  return [
    { ...figure('a request, one gateway', ({ local }) => local), aim: { most: 3 } },
    { ...figure('a request, places of an owner in the same process', ({ shared }) => shared), aim: { most: 3 } },
    figure('a refusal, with its error', ({ refused }) => refused),
  ]
}
