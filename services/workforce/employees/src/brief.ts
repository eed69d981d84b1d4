import type { KeptBrief } from '@millhand/workforce/employee'

export type { Constraints } from '@millhand/workforce/employee'

/** What somebody asks an employee for. It comes from outside: data, whatever stands in it. */
export interface Brief<Input = unknown> extends Omit<KeptBrief, 'input'> {
  /** As the kind's input schema has it. */
  readonly input: Input
  readonly files: readonly BriefFile[]
}

/** One of the account's files, whole. */
export interface BriefFile {
  readonly name: string
  readonly media_type: string
  readonly bytes: Uint8Array
}

/** The brief can't be done as it stands, or not honestly. The message says what is wrong and what would help. */
export class Refusal extends Error {
  /** Where in the brief, for example `input.text`. */
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.param = param
  }
}
