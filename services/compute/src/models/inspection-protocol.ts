/** What passes between compute and the process that looks into a file. */
import type { ChildMessage } from '@millhand/child-process'
import { isDtype, isLength, isObject, type OnnxInspection, type TensorSpec } from '@millhand/model'

export interface InspectionRequest {
  /** The file: a path in the folder of the process. */
  readonly path: string
}

export type InspectionMessage =
  | { readonly kind: 'inspected'; readonly inspection: OnnxInspection }
  | { readonly kind: 'refused'; readonly message: string }

/** A copy that has what the protocol names and nothing else: the child may be compromised. Undefined for anything else. */
export function readInspection({ head, parts }: ChildMessage): InspectionMessage | undefined {
  if (!isObject(head) || parts.length > 0) return undefined
  if (head.kind === 'refused') {
    return typeof head.message === 'string' ? { kind: 'refused', message: head.message } : undefined
  }
  if (head.kind !== 'inspected' || !isObject(head.inspection)) return undefined
  const { inputs, outputs, hiddenOutputs, opsets, operators } = head.inspection
  if (!isListOf(inputs, isSpec) || !isListOf(outputs, isSpec) || !isListOf(operators, isText)) return undefined
  if (!isMapOf(hiddenOutputs, isText) || !isMapOf(opsets, isVersion)) return undefined
  const inspection = { inputs: inputs.map(specOf), outputs: outputs.map(specOf), hiddenOutputs, opsets, operators }
  return { kind: 'inspected', inspection }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isVersion = (value: unknown): value is number => Number.isInteger(value) && Number(value) < 2 ** 31
const isListOf = <T>(value: unknown, is: (each: unknown) => each is T): value is T[] =>
  Array.isArray(value) && value.every(is)
const isMapOf = <T>(value: unknown, is: (each: unknown) => each is T): value is Record<string, T> =>
  isObject(value) && Object.values(value).every(is)
const isSpec = (value: unknown): value is TensorSpec =>
  isObject(value) && isText(value.name) && isDtype(value.dtype) && isListOf(value.shape, isLength)

const specOf = ({ name, dtype, shape }: TensorSpec): TensorSpec => ({ name, dtype, shape })
