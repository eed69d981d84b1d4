import type { Fault } from '@millhand/api'
import type { TaskModel } from './task-models.ts'

const param = 'parameters.outputs'

/** What stands against the outputs that a request asks for by `parameters.outputs`; only tensors can be chosen from. */
export function outputsFault({ model, hiddenOutputs }: TaskModel, asked: unknown): Fault | undefined {
  const { processing } = model.manifest
  if (asked === undefined || processing.kind !== 'single' || processing.postprocess.name !== 'tensors') return undefined
  const known = model.outputs.map(({ name }) => name)
  if (!Array.isArray(asked) || asked.length === 0 || new Set(asked).size < asked.length) {
    return { param, code: 'invalid', message: '`parameters.outputs` must be a list of different names of outputs.' }
  }
  for (const name of asked) {
    if (known.includes(name) || known.length === 0) continue
    const hidden = typeof name === 'string' && Object.hasOwn(hiddenOutputs, name) ? hiddenOutputs[name] : undefined
    const message =
      hidden === undefined
        ? `The model has no output \`${String(name).slice(0, 64)}\`; it has ${shown(known)}.`
        : `The output \`${name.slice(0, 64)}\` can't be asked for: ${hidden}.`
    return { param, code: hidden === undefined ? 'not_in' : 'not_available', message }
  }
  return undefined
}

const shown = (names: readonly string[]): string =>
  names
    .slice(0, 20)
    .map(name => `\`${name.slice(0, 64)}\``)
    .join(', ') + (names.length > 20 ? ', …' : '')
