/** The lines of an input, read no further ahead than they are run. */
import { open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import type { InputFile } from '@millhand/child-process'

/** Undefined for a line that is longer than a line may be. */
export type Line = string | undefined

/** UTF-16 units of one line: what `input` may have. */
export const MOST_CHARACTERS = 512 * 1024

/** V8 keeps larger strings where only its rare full collections find them: of a long input much would be left. */
const CHUNK_BYTES = 64 * 1024

/** The input could not be read; `cause` says why. */
export class NotRead extends Error {
  constructor(cause: unknown) {
    super('the input was not read', { cause })
  }
}

/** Reads text, or a file of UTF-8, line by line, without blank lines and white space around a line. */
export class LineReader implements AsyncDisposable {
  readonly #chunks: AsyncGenerator<string, void>
  readonly #total: number
  #read = 0
  /** What was read before the lines at hand. */
  #before = 0
  #lines: Line[] = []
  #at = 0
  /** The beginning of a line whose end is not read. */
  #rest = ''
  #isTooLong = false
  #isOver = false

  constructor(input: string | InputFile) {
    this.#total = Math.max(1, typeof input === 'string' ? input.length : input.bytes)
    this.#chunks = typeof input === 'string' ? this.#text(input) : this.#file(input)
  }

  /** About how much of the input is taken, from 0 to 1: of what is read and not taken each line counts the same. */
  get fraction(): number {
    const taken = this.#lines.length === 0 ? 1 : this.#at / this.#lines.length
    if (this.#isOver && taken === 1) return 1
    return Math.min(1, (this.#before + (this.#read - this.#before) * taken) / this.#total)
  }

  /** The next lines: at most so many, and so many UTF-16 units but for the first; none at the end. Rejects with `NotRead`. */
  async take(most: number, characters: number): Promise<Line[]> {
    const taken: Line[] = []
    let room = characters
    while (taken.length < most) {
      if (this.#at === this.#lines.length && !(await this.#more())) break
      const line = this.#lines[this.#at]
      room -= line?.length ?? 0
      if (room < 0 && taken.length > 0) break
      taken.push(line)
      this.#at++
    }
    return taken
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return()
  }

  /** Reads on until there is a line; false at the end. */
  async #more(): Promise<boolean> {
    this.#lines = []
    this.#at = 0
    this.#before = this.#read
    while (this.#lines.length === 0 && !this.#isOver) {
      const { value, done } = await this.#chunks.next().catch(error => {
        throw new NotRead(error)
      })
      if (done) this.#end()
      else this.#split(value)
    }
    return this.#lines.length > 0
  }

  #split(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() as string
    for (const line of lines) this.#add(line)
    // A line that is too long is not held; a flag is enough.
    if (this.#rest.length > MOST_CHARACTERS) this.#isTooLong = true
    if (this.#isTooLong) this.#rest = ''
  }

  #end(): void {
    this.#isOver = true
    this.#add(this.#rest)
    this.#rest = ''
  }

  #add(line: string): void {
    const text = line.trim()
    if (this.#isTooLong || text.length > MOST_CHARACTERS) this.#lines.push(undefined)
    else if (text !== '') this.#lines.push(text)
    this.#isTooLong = false
  }

  async *#text(text: string): AsyncGenerator<string, void> {
    this.#read = text.length
    yield text
  }

  async *#file({ path }: InputFile): AsyncGenerator<string, void> {
    await using handle = await open(path)
    const decoder = new StringDecoder('utf8') // What is no UTF-8 becomes U+FFFD, in its own line alone.
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, this.#read)
      if (bytesRead === 0) return yield decoder.end()
      this.#read += bytesRead
      yield decoder.write(buffer.subarray(0, bytesRead))
    }
  }
}
