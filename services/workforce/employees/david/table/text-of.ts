/** The text of a file that is a table. */
import { type BriefFile, Refusal } from '../../src/brief.ts'
import { encodingOf } from '../../src/text/text-files.ts'
import { shown } from './foreign-text.ts'
import { READ } from './unread-formats.ts'

/**
 * UTF-8, UTF-16 that says so, as spreadsheets write it, or else what Windows has written for decades. That last one is a
 * guess, and is said in `warnings`.
 */
export function textOf({ name, bytes }: BriefFile): { readonly text: string; readonly warnings: readonly string[] } {
  const known = decoded(bytes)
  const text = known ?? new TextDecoder('windows-1252').decode(bytes)
  if (text.slice(0, 8192).includes('\0'))
    throw new Refusal(
      'files',
      `${shown(name)} is no text. Save the table as CSV in UTF-8, or as another of the formats that are read: ${READ}.`,
    )
  if (known !== undefined) return { text, warnings: [] }
  const warning = `${shown(name)} is not in UTF-8 and was read as Windows-1252. If letters are wrong, save it in UTF-8.`
  return { text, warnings: [warning] }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
