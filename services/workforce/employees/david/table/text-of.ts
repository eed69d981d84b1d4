/** The text of a file that is a table. */
import { type BriefFile, Refusal } from '../../../src/brief.ts'
import { encodingOf } from '../../../src/text/text-files.ts'
import { shown } from './foreign-text.ts'

/** UTF-8, UTF-16 that says so, as spreadsheets write it, or else what Windows has written for decades. */
export function textOf({ name, bytes }: BriefFile): string {
  const text = decoded(bytes)
  if (!text.slice(0, 8192).includes('\0')) return text
  throw new Refusal('files', `${shown(name)} is no text. Save the table as CSV in UTF-8.`)
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
