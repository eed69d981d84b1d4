/** Lines for a file, pipe or terminal that may be full, slow or gone: writing never throws, blocks or fills memory. */

import { setTimeout } from 'node:timers/promises'

/** Where the bytes go. Fails with `EAGAIN` where none can be taken at the moment. */
export interface Destination {
  /** How many bytes were taken. Never blocks. */
  write(bytes: Uint8Array): number | Promise<number>
  /** The same at the end of the process, when nothing can be awaited. */
  writeAtExit(bytes: Uint8Array): number
}

export interface OutputOptions {
  /** What may wait for a slow reader; 1 MiB where it is not set. A line beyond it is dropped. */
  readonly maxBytes?: number
  /** Waits before the next try where nothing was taken. */
  readonly pause?: () => Promise<void>
}

export interface Output {
  /** Takes one line, its newline included. */
  write(line: string): void
  /** Calls the listener for each line that was dropped, from now on. */
  onDropped(listener: () => void): void
  /** Makes the line that says how many lines were dropped: it is written once writing works again. */
  notice: ((lines: number) => string) | undefined
  /** Whether a write is still under way after half a second, as on a disk that stands still: an exit waits for it. */
  isStuck(): Promise<boolean>
  /** Writes what still waits, for at most half a second: for the end of the process. */
  flush(): void
}

const MAX_BYTES = 2 ** 20
const BATCH_BYTES = 2 ** 16
const RETRY_MS = 50
const FLUSH_MS = 500
const POLL_MS = 10
const NEWLINE = Buffer.from('\n')

export function createOutput(destination: Destination, options: OutputOptions = {}): Output {
  const { maxBytes = MAX_BYTES, pause = sleepUnreferenced } = options
  const listeners: (() => void)[] = []
  const lines = new WaitingLines()
  let isDraining = false
  /** Lines that no notice has counted yet. */
  let dropped = 0
  /** Bytes of a write under way. */
  let inFlight = 0

  const drop = () => {
    dropped++
    for (const listener of listeners) listener()
  }

  const taken = (written: number) => {
    if (!lines.take(written) || dropped === 0 || output.notice === undefined) return
    const line = output.notice(dropped)
    dropped = 0
    lines.add(Buffer.from(line))
  }

  /** One line is given up, so that the next shows whether writing works again. */
  const refused = () => {
    if (lines.giveUp()) drop()
  }

  const drain = async () => {
    isDraining = true
    while (!lines.isEmpty) {
      try {
        const batch = lines.nextBatch()
        const writing = destination.write(batch)
        if (typeof writing !== 'number') inFlight = batch.length
        taken(typeof writing === 'number' ? writing : await writing)
      } catch (error) {
        if (isAgain(error)) await pause()
        else refused()
      } finally {
        inFlight = 0
      }
    }
    isDraining = false
  }

  const output: Output = {
    write(text) {
      const line = Buffer.from(text)
      if (lines.bytes + line.length > maxBytes) return drop()
      lines.add(line)
      if (!isDraining) void drain()
    },
    onDropped: listener => void listeners.push(listener),
    notice: undefined,
    async isStuck() {
      const end = performance.now() + FLUSH_MS
      while (inFlight > 0 && performance.now() < end) await setTimeout(POLL_MS)
      return inFlight > 0
    },
    flush() {
      // A write in the thread pool is finished before the process ends.
      if (inFlight > 0) taken(inFlight)
      const end = performance.now() + FLUSH_MS
      while (!lines.isEmpty && performance.now() < end) {
        try {
          taken(destination.writeAtExit(lines.nextBatch()))
        } catch (error) {
          if (isAgain(error)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
          else refused()
        }
      }
    },
  }
  return output
}

/** Lines that wait to be written. A line is written whole, or what there is of it is ended by a newline. */
class WaitingLines {
  readonly #lines: Buffer[] = []
  #bytes = 0
  /** Whether the first of the lines is the rest of one. */
  #isBegun = false
  /** Whether what was written last is a line whose rest was dropped. */
  #isCut = false

  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  add(line: Buffer): void {
    this.#lines.push(line)
    this.#bytes += line.length
  }

  /** The next lines, at least one where one waits. They wait on until they are taken. */
  nextBatch(): Buffer {
    const batch: Buffer[] = this.#isCut ? [NEWLINE] : []
    let bytes = 0
    for (const line of this.#lines) {
      if (bytes > 0 && bytes + line.length > BATCH_BYTES) break
      bytes += line.length
      batch.push(line)
    }
    return Buffer.concat(batch)
  }

  /** So many bytes of the batch are written; false where that is more than wait. */
  take(written: number): boolean {
    let left = written - (this.#isCut && written > 0 ? NEWLINE.length : 0)
    if (written > 0) this.#isCut = false
    while (left > 0) {
      const [line] = this.#lines
      if (line === undefined) return false
      const part = Math.min(left, line.length)
      left -= part
      this.#bytes -= part
      if (part === line.length) this.#lines.shift()
      else this.#lines[0] = line.subarray(part)
      this.#isBegun = part < line.length
    }
    return true
  }

  /** Gives up the first line; false where none waits. */
  giveUp(): boolean {
    const line = this.#lines.shift()
    if (line === undefined) return false
    this.#bytes -= line.length
    this.#isCut ||= this.#isBegun
    this.#isBegun = false
    return true
  }
}

const isAgain = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

const sleepUnreferenced = (): Promise<void> => setTimeout(RETRY_MS, undefined, { ref: false })
