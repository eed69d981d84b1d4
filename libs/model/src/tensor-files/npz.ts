/** Named tensors in NumPy's `.npz`: a zip file with an array `<name>.npy` for each. A name is a name, and no path. */
import { excerpt } from '../excerpt.ts'
import { InputInvalid, type Tensor } from '../tensors.ts'
import { ByteReader, type ByteSource } from './byte-source.ts'
import { MOST_TENSORS } from './format.ts'
import { npyParts, readNpy } from './npy.ts'
import { TensorsRead } from './tensor-bytes.ts'
import { entryContent, zipEntries } from './zip-reader.ts'
import { type StoredEntry, zipParts } from './zip-writer.ts'

const SUFFIX = '.npy'

/** Rejects with `InputInvalid`. In memory is what the tensors have, and some chunks of the file. */
export async function readNpz(source: ByteSource): Promise<ReadonlyMap<string, Tensor>> {
  const read = new TensorsRead()
  for (const entry of await zipEntries(source, MOST_TENSORS)) {
    if (!entry.name.endsWith(SUFFIX)) {
      throw new InputInvalid(`the entry \`${excerpt(entry.name)}\` is no array: their names end with ${SUFFIX}`)
    }
    const reader = new ByteReader(entryContent(source, entry))
    try {
      await readNpy(entry.name.slice(0, -SUFFIX.length), reader, entry.bytes, read)
    } finally {
      await reader.close()
    }
  }
  return read.tensors
}

export const npzParts = (tensors: Iterable<readonly [string, Tensor]>): Generator<Uint8Array, void> =>
  zipParts(arrays(tensors))

function* arrays(tensors: Iterable<readonly [string, Tensor]>): Generator<StoredEntry, void> {
  for (const [name, tensor] of tensors) yield { name: `${name}${SUFFIX}`, content: npyParts(tensor) }
}
