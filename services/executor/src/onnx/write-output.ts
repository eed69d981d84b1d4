/** An output written to a file of the child's folder. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { MAX_OUTPUT_BYTES, OutputTooLarge } from './output-limit.ts'

/** How many bytes the parts have; undefined where there is no room for them. Throws `OutputTooLarge`. Leaves no file then. */
export function writeOutput(path: string, parts: Iterable<Uint8Array>, room: number): number | undefined {
  const file = openSync(path, 'w', 0o600)
  let bytes: number | undefined
  try {
    bytes = writeParts(file, parts, room)
  } finally {
    closeSync(file)
    if (bytes === undefined) rmSync(path, { force: true })
  }
  return bytes
}

function writeParts(file: number, parts: Iterable<Uint8Array>, room: number): number | undefined {
  let bytes = 0
  for (const part of parts) {
    bytes += part.length
    if (bytes > MAX_OUTPUT_BYTES) throw new OutputTooLarge()
    if (bytes > room) return undefined
    for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
  }
  return bytes
}
