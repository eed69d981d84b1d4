/** The files that named tensors come in and go out as: which one a file is follows from its content, not from its name. */

export const TENSOR_FORMATS = ['json', 'npz', 'safetensors'] as const
export type TensorFormat = (typeof TENSOR_FORMATS)[number]

export const isTensorFormat = (word: unknown): word is TensorFormat => TENSOR_FORMATS.includes(word as TensorFormat)

const MIB = 2 ** 20

/** What a file may have. JSON takes several times its size while it is read; of the others only the tensors are in memory. */
export const MOST_FILE_BYTES: Readonly<Record<TensorFormat, number>> = {
  json: 16 * MIB,
  npz: 256 * MIB,
  safetensors: 256 * MIB,
}

export const tooLarge = (bytes: number, format: TensorFormat): string =>
  `the file has ${bytes} bytes; a file of tensors in ${format} has at most ${MOST_FILE_BYTES[format]}`

/** What the elements of one file may have together, inflated. */
export const MOST_ELEMENT_BYTES = 256 * MIB
/** Of one file. */
export const MOST_TENSORS = 1_000
/** Elements of all string tensors of one file: each is a text of its own in memory, also an empty one. */
export const MOST_STRINGS = 1_000_000

/** `head`: its first 9 bytes or more. */
export function formatOf(head: Uint8Array): TensorFormat {
  // A local file header, or the end of an archive that has none: APPNOTE 4.3.7 and 4.3.16.
  const signature = Buffer.from(head.subarray(0, 4)).toString('latin1')
  if (signature === 'PK\x03\x04' || signature === 'PK\x05\x06') return 'npz'
  // 64 bits of a length that is far below 2^32, then JSON. No JSON text has zeros.
  if (head.length >= 9 && head.subarray(4, 8).every(byte => byte === 0) && head[8] === OPENING_BRACE)
    return 'safetensors'
  return 'json'
}

const OPENING_BRACE = 0x7b

/** How an output in the format is stored. NumPy and safetensors have registered no media types. */
export const STORED_AS: Readonly<Record<TensorFormat, { readonly extension: string; readonly mediaType: string }>> = {
  json: { extension: 'json', mediaType: 'application/json' },
  npz: { extension: 'npz', mediaType: 'application/zip' },
  safetensors: { extension: 'safetensors', mediaType: 'application/octet-stream' },
}
