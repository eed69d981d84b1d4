/** A task as compute stores it. REST shows the part that `task-message.ts` picks; what it lives through is `TaskBase`. */
import { workIndexes } from '@millhand/lease'
import type { TensorSpec } from '@millhand/model'
import type { CollectionSpec } from '@millhand/store'
import type { TaskBase } from '@millhand/task'

export interface TaskRecord extends TaskBase {
  /** The account's compute plan when it was made. */
  readonly plan: string
  readonly type: 'inference' | 'training' | 'batch' | 'custom'
  /** What shares a process, in the words of leasing: the model's id, of custom tasks with `custom:` before it. */
  readonly group: string
  readonly model_version: string
  /** The file that is the input, and its size. */
  readonly input_file?: string | undefined
  readonly input_file_bytes?: number | undefined
  /** The rank that it asked for, where it came in a batch. */
  readonly priority?: number | undefined
  /** Set while the task is alive and has an input file: that is not removed meanwhile. */
  readonly uses_file?: 'yes' | undefined
  /** The account's own model, or the file, that it runs. */
  readonly own_model?: string | undefined
  /**
   * Of a file that the sandbox answers for: its outputs, as many as the record has room for. The sandbox does not load the
   * file, and no claim waits until it is looked into.
   */
  readonly sandbox_outputs?: readonly TensorSpec[] | undefined
  /** Set while the task is alive and has one: that is not removed meanwhile. */
  readonly uses_model?: 'yes' | undefined
  /** Of a training task that has succeeded: the file that became its model. */
  readonly trained_file?: string | undefined
  readonly usage?: {
    readonly queue_ms: number
    readonly compute_ms: number
    readonly gpu_type: string
    readonly items: number
    /** Of models that count them. */
    readonly input_tokens?: number
    readonly output_tokens?: number
    /** The account's own instance that ran it. */
    readonly instance_id?: string
  }
  readonly engine?: { readonly kind: string; readonly name: string; readonly provider: string } | undefined
}

/** The model that it names. */
export const modelOf = ({ own_model, group }: Pick<TaskRecord, 'own_model' | 'group'>): string => own_model ?? group

export const tasksSpec = {
  name: 'tasks',
  indexes: {
    ...workIndexes,
    input_file: { fields: ['tenant', 'input_file'], when: { field: 'uses_file', in: ['yes'] } },
    unsettled_lines: { fields: ['lines_state', 'tenant', 'id'], when: { field: 'lines_state', in: ['ended'] } },
    own_model: { fields: ['tenant', 'own_model'], when: { field: 'uses_model', in: ['yes'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export const emissionsSpec = { name: 'emissions', indexes: {} } as const satisfies CollectionSpec

export const unsettledSpec = { name: 'unsettled_files', indexes: {} } as const satisfies CollectionSpec

export type TaskIndex = keyof typeof tasksSpec.indexes
