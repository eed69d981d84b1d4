/** Contents in parts that messages carry. */
import type { Readable } from 'node:stream'

/** Bytes of one message: half of what a reader of the tunnel lets its sender be ahead. */
const PART_BYTES = 64 * 1024

/** What the stream gives, no faster than it is asked for. */
export async function* messageChunks(content: Readable): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) yield chunk.subarray(at, at + PART_BYTES)
  }
}
