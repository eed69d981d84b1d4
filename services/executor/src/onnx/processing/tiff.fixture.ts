/** Writes TIFF files of one channel, as measuring instruments and scanners do: sharp writes none of 16 or 32 bits. */

export interface Page {
  readonly width: number
  readonly height: number
  /** Row by row. */
  readonly pixels: Uint8Array | Uint16Array | Int32Array | Float32Array
  /** TIFF 6.0, section 8: 1 is a smaller copy of another page. */
  readonly subfileType?: number
}

/** Baseline TIFF 6.0, little-endian, without compression; black is the least value. */
export function tiffOf(...pages: readonly Page[]): Buffer {
  const parts: Buffer[] = [Buffer.from('II*\0\x08\0\0\0', 'latin1')]
  let at = 8
  for (const [index, { width, height, pixels, subfileType = 0 }] of pages.entries()) {
    const data = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
    const format = pixels instanceof Float32Array ? 3 : pixels instanceof Int32Array ? 2 : 1
    const tags = [
      ...[
        [254, subfileType],
        [256, width],
        [257, height],
        [258, pixels.BYTES_PER_ELEMENT * 8],
        [259, 1],
        [262, 1],
      ],
      ...[
        [273, at + 2 + 11 * 12 + 4],
        [277, 1],
        [278, height],
        [279, data.length],
        [339, format],
      ],
    ]
    const directory = Buffer.alloc(2 + tags.length * 12 + 4)
    directory.writeUInt16LE(tags.length, 0)
    for (const [row, [tag = 0, value = 0]] of tags.entries()) {
      const entry = 2 + row * 12
      directory.writeUInt16LE(tag, entry)
      // One number of 32 bits.
      directory.writeUInt16LE(4, entry + 2)
      directory.writeUInt32LE(1, entry + 4)
      directory.writeUInt32LE(value, entry + 8)
    }
    at += directory.length + data.length
    directory.writeUInt32LE(index === pages.length - 1 ? 0 : at, directory.length - 4)
    parts.push(directory, data)
  }
  return Buffer.concat(parts)
}
