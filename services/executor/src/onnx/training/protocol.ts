/**
 * What passes between the training runner and its child process. The child waits for the answer to each checkpoint,
 * each best model and each report of progress before it goes on, so at most one is on its way.
 */
import type { ChildMessage } from '@millhand/child-process'
import { isObject, type Preprocess } from '@millhand/model'
import type { TrainableModel, TrainerOptions } from '@millhand/training'

export interface LoadMessage {
  readonly kind: 'load'
  /** Path of the ONNX file. */
  readonly path: string
  /** Path of the tokenizer beside it, of a sentence encoder. */
  readonly tokenizer?: string
  readonly preprocess: Preprocess
  readonly model: TrainableModel
  readonly parent: TrainerOptions['parent']
  readonly versions: TrainerOptions['versions']
}

export interface TrainMessage {
  readonly kind: 'train'
  /** The examples, or the path of the file that has them. */
  readonly examples: string | { readonly path: string }
  readonly parameters: Readonly<Record<string, unknown>>
  /** What an earlier attempt has stored. */
  readonly checkpoint: Uint8Array | undefined
  /** At least, between two checkpoints. */
  readonly checkpointEveryMs: number
}

/** What the child waits for is done. */
interface GoOnMessage {
  readonly kind: 'go_on'
}

export type ToChild = LoadMessage | TrainMessage | GoOnMessage

export interface ProgressMessage {
  readonly kind: 'progress'
  readonly fraction: number
  readonly message: string
  readonly metrics: Readonly<Record<string, number>>
}

/** What a child says. */
export type Said =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  | ProgressMessage
  /** Its bytes go beside it. */
  | { readonly kind: 'checkpoint' }
  /** The model with the best weights so far goes beside it. */
  | { readonly kind: 'best'; readonly card: Readonly<Record<string, unknown>> }
  | FailedMessage
  /** The model goes beside it. */
  | { readonly kind: 'done'; readonly card: Readonly<Record<string, unknown>> }

export interface FailedMessage {
  readonly kind: 'failed'
  readonly code: (typeof codes)[number]
  readonly message: string
}

const codes = ['model_input_invalid', 'training_refused', 'training_diverged', 'model_failed'] as const

/** What was said, once it is sure that the protocol has it: the child may be compromised. `bytes` of a checkpoint, or a model. */
export interface FromChild {
  readonly said: Said
  readonly bytes: Buffer
}

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild({ head, parts }: ChildMessage): FromChild | undefined {
  if (!isObject(head)) return undefined
  const takesBytes = head.kind === 'checkpoint' || head.kind === 'best' || head.kind === 'done'
  if (parts.length !== (takesBytes ? 1 : 0)) return undefined
  const said = readSaid(head)
  return said && { said, bytes: parts[0] ?? Buffer.alloc(0) }
}

function readSaid({ kind, message, ...head }: Readonly<Record<string, unknown>>): Said | undefined {
  switch (kind) {
    case 'loaded':
    case 'checkpoint':
      return { kind }
    case 'refused':
      return typeof message === 'string' ? { kind, message } : undefined
    case 'failed': {
      const code = codes.find(each => each === head.code)
      return code && typeof message === 'string' ? { kind, code, message } : undefined
    }
    case 'progress':
      return typeof head.fraction === 'number' && typeof message === 'string' && isObject(head.metrics)
        ? { kind, fraction: head.fraction, message, metrics: head.metrics as ProgressMessage['metrics'] }
        : undefined
    case 'best':
    case 'done':
      return isObject(head.card) ? { kind, card: head.card } : undefined
    default:
      return undefined
  }
}
