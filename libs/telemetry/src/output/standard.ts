/** Standard output and standard error as outputs that never block, throw or end the process. */
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { createOutput, type Destination, type Output } from './output.ts'

export const standardOutput = (): Output => opened(1)
export const standardError = (): Output => opened(2)

type Descriptor = 1 | 2

const outputs = new Map<Descriptor, Output>()

function opened(fd: Descriptor): Output {
  let output = outputs.get(fd)
  if (output === undefined) {
    output = createOutput(fstatSync(fd).isFile() ? file(fd) : stream(fd))
    outputs.set(fd, output)
    process.on('exit', output.flush)
  }
  return output
}

const writeFile = promisify(write)

/** A file may be on a disk that stands still: it is written in the thread pool, one write at a time. */
const file = (fd: Descriptor): Destination => ({
  write: async bytes => (await writeFile(fd, bytes)).bytesWritten,
  writeAtExit: bytes => writeSync(fd, bytes),
})

/**
 * A pipe, a terminal or a socket is written without blocking. A pipe or terminal is opened once more for that: the mode
 * belongs to what was opened, and the one that we were started with is shared with other processes. Not in the thread
 * pool: a thread that is blocked in a write would keep the process from its end.
 */
function stream(fd: Descriptor): Destination {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
  let own: number | undefined

  const open = (): number => {
    try {
      return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
    } catch (error) {
      // A pipe without a reader can't be opened; it may have one again later.
      if ((error as NodeJS.ErrnoException).code === 'ENXIO' && fstatSync(fd).isFIFO()) throw error
      // A socket, a system without /proc, a terminal of another user: Node makes its own stream non-blocking.
      void (fd === 1 ? process.stdout : process.stderr)
      return fd
    }
  }

  const writeNow = (bytes: Uint8Array): number => {
    own ??= open()
    try {
      return writeSync(own, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') forget()
      throw error
    }
  }

  const forget = () => {
    if (own !== undefined && own !== fd) closeSync(own)
    own = undefined
  }

  return { write: writeNow, writeAtExit: writeNow }
}
