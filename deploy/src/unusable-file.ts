import { readFile } from 'node:fs/promises'

/** A file of the data folder that can't be used as it is: the message names it and says what to do. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  /** By which a failed start shows the message alone, without a stack. */
  readonly code = 'UNUSABLE_FILE'

  /** `what` goes on after the file's name, `remedy` is a sentence without its full stop. */
  constructor(file: string, what: string, remedy: string, options?: ErrorOptions) {
    super(`${file} ${what}. ${remedy}.`, options)
  }
}

/** The text of a file that is there. Fails with `UnusableFile`. */
export async function readKept(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new UnusableFile(file, `can't be read (${(cause as Error).message})`, 'It must be a file of this user', {
      cause,
    })
  }
}
