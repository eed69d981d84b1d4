/** What ten thousand instances cost the service that keeps them, on an engine that runs nothing. */
import { startChild } from '../child.ts'
import { type Figure, median } from '../figure.ts'
import type { Answer, Question } from '../fill/instances-child.ts'
import { sqliteInserts } from '../limit/limits.ts'
import type { Workbench } from '../workbench.ts'

const INSTANCES = 10_000
const CREATES = 500
/** V8 collects the garbage of the creates about 100 s after them: the windows, of 30 s each, include that. */
const IDLE_WINDOWS = 6
/** Of an instance and its event. */
const DOCUMENT_BYTES = 1_200
const EVENT_BYTES = 900

export async function instances(workbench: Workbench): Promise<Figure[]> {
  await using child = startChild<Question, Answer>(new URL('../fill/instances-child.ts', import.meta.url))
  const { creates, passes, restPasses, idle } = await child.ask({
    folder: workbench.folder(),
    instances: INSTANCES,
    creates: CREATES,
    idleWindows: IDLE_WINDOWS,
  })
  await using sqlite = sqliteInserts()
  const perSecond = await sqlite.ask({
    folder: workbench.folder(),
    documentBytes: DOCUMENT_BYTES,
    eventBytes: EVENT_BYTES,
    seconds: workbench.seconds,
  })
  const figure = (name: string, unit: string, value: number, most: number, more: Partial<Figure> = {}): Figure => ({
    ...{ section: 'instances', name, unit, rounds: [value], aim: { most }, limits: [], details: {} },
    ...more,
  })
  const many = INSTANCES.toLocaleString('en')
  const percents = idle.map(share => share * 100)
  const sorted = creates.toSorted((a, b) => a - b)
  return [
    figure(`create beside ${many} instances`, 'ms', median(creates), 5, {
      limits: [{ name: 'SQLite insert of two rows', rounds: [1_000 / perSecond] }],
      details: { p99_ms: sorted[Math.ceil(sorted.length * 0.99) - 1] as number },
    }),
    figure(`longest pass while ${many} start`, 'ms', Math.max(...passes), 2_000, {
      details: { passes: passes.length, first_ms: passes[0] as number },
    }),
    figure(`pass over ${many} at rest`, 'ms', median(restPasses), 2_000),
    figure(`processor while ${many} are at rest`, '% of a core', mean(percents), 1, {
      details: { first_30_s: percents[0] as number, busiest_30_s: Math.max(...percents) },
    }),
  ]
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
