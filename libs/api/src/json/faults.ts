import { type Fault, maxFaults } from '../errors.ts'

/** What is wrong with a value. All words that a reader puts into `Fault.code`. */
export type FaultCode =
  | 'conflicting'
  | 'missing_parameter'
  | 'not_in'
  | 'out_of_range'
  | 'repeated'
  | 'too_deep'
  | 'too_many'
  | 'unknown_parameter'
  | 'wrong_type'

/** Whether enough faults are known: those that an answer shows, and one that tells that there are more. */
export const isFull = (faults: readonly Fault[]): boolean => faults.length > maxFaults

/** Keeps a fault; `says` goes on after the parameter's name. */
export function addFault(faults: Fault[], path: string, code: FaultCode, says: string): void {
  if (isFull(faults)) return
  const param = shownPath(path)
  faults.push({ param, code, message: `${param === '' ? 'The request' : `\`${param}\``} ${says}.` })
}

/** The path of a member of an object, and of an item of a list. */
export const memberPath = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)
export const itemPath = (path: string, index: number) => `${path}[${index}]`

/** Whether a parameter is another one or a part of it. */
export const isWithin = (param: string, whole: string): boolean =>
  param.startsWith(whole) && (param.length === whole.length || '.['.includes(param.charAt(whole.length)))

/** A path that holds the caller's own text, as it is shown back: valid UTF-16 and not endless. */
export function shownPath(path: string): string {
  return (path.length <= maxPath ? path : `${path.slice(0, maxPath)}…`).toWellFormed()
}

const maxPath = 256
