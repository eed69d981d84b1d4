/** Which engine does a task, decided when it is made: so a retry does the same work. */
import { type Fault, fail } from '@millhand/api'
import { EngineChoice } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { EngineKind, PublicKind } from './employee.ts'

/** What a deployment has beside the kinds' own rules. */
export interface Engines {
  /** Whether a language model is configured. */
  readonly languageModel: boolean
  /** Whether it is known what that costs. */
  readonly hasPrices: boolean
  /** Whether an image model is configured. */
  readonly imageModel: boolean
  /** Whether it is known what that costs. */
  readonly hasImagePrice: boolean
}

type Input = Readonly<Record<string, unknown>> | undefined

/** What can do a kind of work here, or some of it. */
export function enginesOf(
  { engines, image_model: depicts }: PublicKind,
  { languageModel, imageModel }: Pick<Engines, 'languageModel' | 'imageModel'>,
): readonly EngineKind[] {
  const here = engines.filter(engine => engine === 'rules' || languageModel)
  return depicts && imageModel ? [...here, 'llm'] : here
}

/** Fails with `engine_unavailable` where nothing here can do it honestly, and says what would. */
export function chooseEngine(kind: PublicKind, input: Input, asked: EngineChoice, engines: Engines): EngineKind {
  const picture = depicted(kind, input)
  if (picture !== undefined) {
    if (engines.imageModel) return 'llm'
    const detail =
      `\`${picture}\` of \`${kind.id}\` needs an image model, and none is configured: ` +
      'MILLHAND_IMAGE_URL sets the server of one.'
    throw fail('engine_unavailable', detail, { param: picture })
  }
  const here = kind.engines.filter(engine => engine === 'rules' || engines.languageModel)
  const wanted = WANTED[asked] ?? WANTED[EngineChoice.AUTO]
  const chosen = wanted.find(engine => here.includes(engine))
  if (chosen !== undefined) return chosen
  const detail =
    `\`${kind.id}\` needs a language model, and none is configured: ` +
    'MILLHAND_LLM_URL sets the server of one, MILLHAND_LLM_GGUF the file of one to run here.'
  throw fail('engine_unavailable', detail, { param: 'engine' })
}

/** Fails with `engine_unavailable` where nobody could say when the most has been spent that it may cost. */
export function requirePrices(
  kind: PublicKind,
  engine: EngineKind,
  { hasPrices, hasImagePrice }: Pick<Engines, 'hasPrices' | 'hasImagePrice'>,
): void {
  const [has, model, settings] = kind.image_model
    ? [hasImagePrice, 'the price of the image model', 'MILLHAND_IMAGE_MICROS sets it.']
    : [
        hasPrices,
        'the prices of the language model',
        'MILLHAND_LLM_INPUT_MICROS and MILLHAND_LLM_OUTPUT_MICROS set them.',
      ]
  if (engine !== 'llm' || has) return
  throw fail('engine_unavailable', `\`max_cost\` needs ${model}, and none is configured: ${settings}`, {
    param: 'max_cost',
  })
}

/** What stands against an engine that is asked for by name, wherever the kind is done. */
export function engineFaults(kind: PublicKind, input: Input, asked: EngineChoice): Fault[] {
  const picture = depicted(kind, input)
  const engines = picture === undefined ? kind.engines : (['llm'] as const)
  const wanted = WANTED[asked] ?? []
  if (asked === EngineChoice.AUTO || wanted.some(engine => engines.includes(engine))) return []
  const what = picture === undefined ? `\`${kind.id}\`` : `\`${picture}\` of \`${kind.id}\``
  const message = `${what} is not done by ${wanted.join()}: \`engine\` can be auto or ${engines.join(', ')}.`
  return [{ param: 'engine', code: 'not_in', message }]
}

/** The input that only an image model can do, where one is asked for. */
function depicted({ image_model: depicts = {} }: PublicKind, input: Input): string | undefined {
  const found = Object.entries(depicts).find(([name, values]) => values.includes(input?.[name]))
  return found && `input.${found[0]}`
}

/** In the order in which they are taken: a language model only where a kind needs one. */
const WANTED: Readonly<Record<number, readonly EngineKind[]>> & {
  readonly [EngineChoice.AUTO]: readonly EngineKind[]
} = {
  [EngineChoice.AUTO]: ['rules', 'llm'],
  [EngineChoice.LLM]: ['llm'],
  [EngineChoice.RULES]: ['rules'],
}
