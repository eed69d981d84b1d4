/**
 * What passes between the runner and its child process: one message each way for a portion of a run, in the order of the
 * portions, and between them what its items emit, each of which is answered once there is room for more. The next portion
 * may be sent before the one at hand is answered.
 */

import type { Emission, RunItem } from '@millhand/child-process'
import type { Processing } from '@millhand/model'
import type { SessionOptions } from '@millhand/onnxruntime'

/** How models of the form ONNX are run. */
type OnnxProcessing = Exclude<Processing, { kind: 'text_generation' }>

export interface LoadMessage extends SessionOptions {
  readonly kind: 'load'
  /** Absolute paths by the manifest's names. */
  readonly files: Readonly<Record<string, string>>
  readonly processing: OnnxProcessing
  readonly labels: readonly string[] | undefined
  /** How many inputs may be joined; 1 where none may. */
  readonly maxBatch: number
}

export interface RunMessage {
  readonly kind: 'run'
  readonly inputs: readonly RunItem['input'][]
  /** By item; left out when no item has any. */
  readonly parameters?: readonly (Readonly<Record<string, unknown>> | undefined)[]
  /** How many items of the run are in the portions before. */
  readonly first: number
  /** Bytes that the files of the run's outputs may have together. Of the first portion: it counts for the whole run. */
  readonly room: number
}

/** One emission was taken. */
interface TakenMessage {
  readonly kind: 'taken'
}

export type ToChild = LoadMessage | RunMessage | TakenMessage

/** An item whose output is in a file of the child's folder. */
export interface ItemInFile {
  readonly inFile: true
}

/** The name of that file: only the item's index in its run decides, so a child names no paths. */
export const outputName = (item: number): string => `output-${item}`

/** An item that failed; one that succeeded is its output, JSON text, or in a file. */
export interface ItemFault {
  /** `no_room`: the outputs before it took the room of the files. */
  readonly code: 'model_input_invalid' | 'model_failed' | 'output_too_large' | 'no_room'
  readonly message: string
}

/** What a child says. How long it took and what it used, its parent measures. */
export type FromChild =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  /** `item` counts from the first of the portion. */
  | { readonly kind: 'emission'; readonly item: number; readonly emission: Emission }
  | {
      readonly kind: 'done'
      /** Null for an output that goes beside it, in their order. */
      readonly items: readonly (null | ItemInFile | ItemFault)[]
    }
