/** Which engine does a task, decided when it is made: so a retry does the same work. */
import { type Fault, fail } from '@millhand/api'
import { EngineChoice } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { EngineKind, KindSpec } from './catalogue.ts'

/** What a deployment has beside the kinds' own rules. */
export interface Engines {
  /** Whether a language model is configured. */
  readonly languageModel: boolean
  /** Whether it is known what that costs. */
  readonly hasPrices: boolean
}

/** What can do a kind of work here. */
export const enginesOf = (
  { engines }: KindSpec,
  { languageModel }: Pick<Engines, 'languageModel'>,
): readonly EngineKind[] => engines.filter(engine => engine === 'rules' || languageModel)

/** Fails with `engine_unavailable` where nothing here can do it honestly, and says what would. */
export function chooseEngine(kind: KindSpec, asked: EngineChoice, engines: Engines): EngineKind {
  const here = enginesOf(kind, engines)
  const wanted = WANTED[asked] ?? WANTED[EngineChoice.AUTO]
  const chosen = wanted.find(engine => here.includes(engine))
  if (chosen !== undefined) return chosen
  const detail =
    `\`${kind.id}\` needs a language model, and none is configured: ` +
    'MILLHAND_LLM_URL sets the server of one, MILLHAND_LLM_GGUF the file of one to run here.'
  throw fail('engine_unavailable', detail, { param: 'engine' })
}

/** Fails with `engine_unavailable` where nobody could say when the most has been spent that it may cost. */
export function requirePrices(engine: EngineKind, { hasPrices }: Pick<Engines, 'hasPrices'>): void {
  if (engine !== 'llm' || hasPrices) return
  const detail =
    '`max_cost` needs the prices of the language model, and none are configured: ' +
    'MILLHAND_LLM_INPUT_MICROS and MILLHAND_LLM_OUTPUT_MICROS set them.'
  throw fail('engine_unavailable', detail, { param: 'max_cost' })
}

/** What stands against an engine that is asked for by name, wherever the kind is done. */
export function engineFaults(kind: KindSpec, asked: EngineChoice): Fault[] {
  const wanted = WANTED[asked] ?? []
  if (asked === EngineChoice.AUTO || wanted.some(engine => kind.engines.includes(engine))) return []
  const message = `\`${kind.id}\` is not done by ${wanted.join()}: \`engine\` can be auto or ${kind.engines.join(', ')}.`
  return [{ param: 'engine', code: 'not_in', message }]
}

/** In the order in which they are taken: a language model only where a kind needs one. */
const WANTED: Readonly<Record<number, readonly EngineKind[]>> & {
  readonly [EngineChoice.AUTO]: readonly EngineKind[]
} = {
  [EngineChoice.AUTO]: ['rules', 'llm'],
  [EngineChoice.LLM]: ['llm'],
  [EngineChoice.RULES]: ['rules'],
}
