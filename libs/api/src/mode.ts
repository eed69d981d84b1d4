/** Live or test: the word, and the value that the contract has for it. */
import type { KeyMode } from './api-key.ts'
import { Mode } from './gen/millhand/type/v1/mode_pb.ts'

export const modeOfWord = (word: KeyMode): Mode => (word === 'test' ? Mode.TEST : Mode.LIVE)

/** Throws where it is not set: who takes that for one of them shows it the other's things. */
export function wordOfMode(mode: Mode): KeyMode {
  if (mode === Mode.LIVE) return 'live'
  if (mode === Mode.TEST) return 'test'
  throw new Error(`${mode} is neither live nor test`)
}

/** A key by its id, as messages name it. */
export const keyRefOf = ({ accountId, mode, keyId }: KeyName) => ({ accountId, mode: modeOfWord(mode), keyId })

/** A key by its id. */
export interface KeyName {
  readonly accountId: string
  readonly mode: KeyMode
  readonly keyId: string
}
