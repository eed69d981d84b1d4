/** Bytes of a file by their place, and one after the other. */
import type { FileHandle } from 'node:fs/promises'
import { InputInvalid } from '../tensors.ts'

export interface ByteSource {
  readonly size: number
  /** Fills `into` from a place on. Rejects with `InputInvalid` where the file ends before. */
  fill(into: Uint8Array, at: number): Promise<void>
}

export const fileSource = (handle: FileHandle, size: number): ByteSource => ({
  size,
  async fill(into, at) {
    for (let filled = 0; filled < into.length; ) {
      const { bytesRead } = await handle.read(into, filled, into.length - filled, at + filled)
      if (bytesRead === 0) throw new InputInvalid('the file is cut off')
      filled += bytesRead
    }
  },
})

export async function bytesAt(source: ByteSource, at: number, length: number): Promise<Buffer> {
  if (at < 0 || length < 0 || at + length > source.size) throw new InputInvalid('the file is cut off')
  const bytes = Buffer.alloc(length)
  await source.fill(bytes, at)
  return bytes
}

const CHUNK_BYTES = 2 ** 18

/** A stretch of the file in chunks. */
export async function* chunksOf(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer, void> {
  for (let at = start; at < end; ) {
    const chunk = await bytesAt(source, at, Math.min(CHUNK_BYTES, end - at))
    yield chunk
    at += chunk.length
  }
}

/** Takes as many bytes as it is asked for from chunks of any length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Rejects with `InputInvalid` where there are not so many. */
  async fill(into: Uint8Array): Promise<void> {
    for (let filled = 0; filled < into.length; ) {
      if (this.#chunk.length === 0 && !(await this.#next())) throw new InputInvalid('the file is cut off')
      const part = this.#chunk.subarray(0, into.length - filled)
      into.set(part, filled)
      filled += part.length
      this.#chunk = this.#chunk.subarray(part.length)
    }
  }

  async take(length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    await this.fill(bytes)
    return bytes
  }

  /** Whether nothing is left. What comes after all is read. */
  async atEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) if (!(await this.#next())) return true
    return false
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (!done) this.#chunk = value
    return !done
  }
}
