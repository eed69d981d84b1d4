import { type Fault, maxFaults } from '../errors.ts'

/** What is wrong with a value. All words that a reader puts into `Fault.code`. */
export type FaultCode =
  | 'conflicting'
  | 'missing_parameter'
  | 'not_in'
  | 'out_of_range'
  | 'repeated'
  | 'too_deep'
  | 'unknown_parameter'
  | 'wrong_type'

/** Keeps a fault; `says` goes on after the parameter's name. */
export function addFault(faults: Fault[], path: string, code: FaultCode, says: string): void {
  if (faults.length >= maxFaults) return
  const param = shownPath(path)
  faults.push({ param, code, message: `${param === '' ? 'The request' : `\`${param}\``} ${says}.` })
}

/** The path of a member of an object, and of an item of a list. */
export const memberPath = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)
export const itemPath = (path: string, index: number) => `${path}[${index}]`

/** A path that holds the caller's own text, as it is shown back: valid UTF-16 and not endless. */
export function shownPath(path: string): string {
  return (path.length <= maxPath ? path : `${path.slice(0, maxPath)}…`).toWellFormed()
}

const maxPath = 256
