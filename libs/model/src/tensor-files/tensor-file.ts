/** Named tensors from and to files of each format. */
import { open } from 'node:fs/promises'
import { InputInvalid, type NamedTensors, readTensors, type Tensor } from '../tensors.ts'
import { readUtf8 } from '../utf8.ts'
import { bytesAt, fileSource } from './byte-source.ts'
import { formatOf, MOST_FILE_BYTES, type TensorFormat, tooLarge } from './format.ts'
import { npzParts, readNpz } from './npz.ts'
import { readSafetensors, safetensorsParts } from './safetensors.ts'

const HEAD_BYTES = 16

/** Rejects with `InputInvalid` for what does not hold named tensors. */
export async function readTensorFile(path: string): Promise<NamedTensors> {
  const handle = await open(path)
  try {
    const source = fileSource(handle, (await handle.stat()).size)
    const format = formatOf(await bytesAt(source, 0, Math.min(HEAD_BYTES, source.size)))
    if (source.size > MOST_FILE_BYTES[format]) throw new InputInvalid(tooLarge(source.size, format))
    if (format === 'npz') return { tensors: await readNpz(source), base64: false }
    if (format === 'safetensors') return { tensors: await readSafetensors(source), base64: false }
    return readTensors(readUtf8(await bytesAt(source, 0, source.size)))
  } finally {
    await handle.close()
  }
}

/** A file of the tensors in parts. Throws `InputInvalid` where the format does not have their type. */
export const tensorFileParts = (
  tensors: Iterable<readonly [string, Tensor]>,
  format: Exclude<TensorFormat, 'json'>,
): Generator<Uint8Array, void> => (format === 'npz' ? npzParts(tensors) : safetensorsParts(tensors))
