/** The language model, as runs ask it: from the executor, in the name of the process of a kind, and within bounds. */
import type { ModelUsage } from '@millhand/child-process'
import type { Schema } from '@millhand/workforce/employee'
import type { Fault } from './protocol.ts'

export interface LanguageModel {
  readonly name: string
  readonly model: string
  /** What one run may ask. */
  allow(limits: Limits): Allowance
  /** Ends what belongs to it. Idempotent. */
  close(): Promise<void>
}

/** Why a question has no answer, where the model itself can say so. */
export class ModelFault extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

export interface Limits {
  readonly maxCostMicros?: number
  /** Of the brief. */
  readonly seed: number
  /** Told the sum, after each question. */
  readonly onUsage: (used: ModelUsage) => void
  /** As in `RunItem`: while it is asked, that it has not answered, or why it did not when it was last asked. */
  readonly onWait?: ((reason: string | undefined) => void) | undefined
  /** Asked before each question for what all may have cost once it is answered. Where it rejects nothing is asked. */
  readonly reserve: (costMicros: number) => Promise<void>
  /** Ends what is asked then. */
  readonly signal: AbortSignal
}

export interface Question {
  readonly system: string
  readonly prompt: string
  /** What the answer has to be, as JSON. */
  readonly schema: Schema
}

export interface Allowance {
  /** Never rejects. */
  ask(question: Question): Promise<Told>
}

type Told = { readonly kind: 'told'; readonly text: string } | { readonly kind: 'untold'; readonly fault: Fault }

/** Where none is configured. The service makes no such task; one from a time when there was one fails. */
export const noLanguageModel: LanguageModel = {
  name: '',
  model: '',
  allow: () => ({
    ask: async () => ({
      kind: 'untold',
      fault: { code: 'model_unavailable', message: 'No language model is configured here.', retryable: false },
    }),
  }),
  async close() {},
}
