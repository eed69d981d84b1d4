/** Validation errors of the parameters of a run that gives named tensors: which of them, and in which format. */
import type { Fault } from '@millhand/api'
import { isTensorFormat, NO_STRINGS, TENSOR_FORMATS } from '@millhand/model'
import type { TaskModel } from './task-models.ts'

type Parameters = Readonly<Record<string, unknown>> | undefined

/** Nothing where the model gives no tensors, which alone can be chosen from and written. */
export function outputsFault(named: TaskModel, parameters: Parameters, isBatch: boolean): Fault | undefined {
  const { processing } = named.model.manifest
  if (processing.kind !== 'single' || processing.postprocess.name !== 'tensors') return undefined
  return chosenFault(named, parameters?.outputs) ?? formatFault(named, parameters, isBatch)
}

function chosenFault({ model, hiddenOutputs }: TaskModel, asked: unknown): Fault | undefined {
  const param = 'parameters.outputs'
  if (asked === undefined) return undefined
  const known = model.outputs.map(({ name }) => name)
  const isList = Array.isArray(asked) && asked.length > 0 && asked.every(name => typeof name === 'string')
  if (!isList || new Set(asked).size < asked.length) {
    return { param, code: 'invalid', message: '`parameters.outputs` must be a list of different names of outputs.' }
  }
  for (const name of asked) {
    if (known.includes(name) || known.length === 0) continue
    const hidden = Object.hasOwn(hiddenOutputs, name) ? hiddenOutputs[name] : undefined
    const message =
      hidden === undefined
        ? `The model has no output \`${name.slice(0, 64)}\`; it has ${shown(known)}.`
        : `The output \`${name.slice(0, 64)}\` can't be asked for: ${hidden}.`
    return { param, code: hidden === undefined ? 'not_in' : 'not_available', message }
  }
  return undefined
}

function formatFault({ model }: TaskModel, parameters: Parameters, isBatch: boolean): Fault | undefined {
  const param = 'parameters.output_format'
  const { outputs: asked, output_format: format } = parameters ?? {}
  if (format === undefined) return undefined
  if (!isTensorFormat(format)) {
    return { param, code: 'not_in', message: `\`${param}\` must be one of ${TENSOR_FORMATS.join(', ')}.` }
  }
  if (isBatch && format !== 'json') {
    return { param, code: 'not_allowed', message: 'The output of a `batch` task is JSON Lines, and no other format.' }
  }
  const text = model.outputs.find(({ name, dtype }) => {
    return dtype === 'string' && (!Array.isArray(asked) || asked.includes(name))
  })
  if (format !== 'safetensors' || text === undefined) return undefined
  return { param, code: 'not_allowed', message: `The output \`${text.name.slice(0, 64)}\` ${NO_STRINGS}.` }
}

const shown = (names: readonly string[]): string =>
  names
    .slice(0, 20)
    .map(name => `\`${name.slice(0, 64)}\``)
    .join(', ') + (names.length > 20 ? ', …' : '')
