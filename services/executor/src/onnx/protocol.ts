/** What passes between the runner and its child process: one message each way for a portion of a run. */
import type { Processing } from '@millhand/model'

export interface LoadMessage {
  readonly kind: 'load'
  /** Absolute paths by the manifest's names. */
  readonly files: Readonly<Record<string, string>>
  readonly processing: Processing
  readonly labels: readonly string[] | undefined
  readonly batchable: boolean
  /** Processor threads of a run. */
  readonly threads: number
}

export interface RunMessage {
  readonly kind: 'run'
  readonly inputs: readonly string[]
  /** By item; left out when no item has any. */
  readonly parameters?: readonly (Readonly<Record<string, unknown>> | undefined)[]
}

export type ToChild = LoadMessage | RunMessage

/** An item that failed; one that succeeded is its output, JSON text. */
export interface ItemFault {
  readonly code: 'model_input_invalid' | 'model_failed' | 'output_too_large'
  readonly message: string
}

export type FromChild =
  | { readonly kind: 'loaded'; readonly memoryBytes: number }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'progress'; readonly fraction: number; readonly message?: string }
  | {
      readonly kind: 'done'
      readonly items: readonly (string | ItemFault)[]
      readonly computeMs: number
      readonly memoryBytes: number
    }

/** The child's last words, on standard error, when it ends itself for want of memory. */
export const OUT_OF_MEMORY = 'millhand: out of memory'

/** What libraries say when memory is refused to them: V8, the C++ library, ONNX Runtime, glib under libvips. */
const MEMORY_WORDS =
  /out of memory|bad_alloc|failed to allocate|cannot allocate memory|array buffer allocation failed|OOM error/i

export const tellsOfMemory = (text: string): boolean => MEMORY_WORDS.test(text)
