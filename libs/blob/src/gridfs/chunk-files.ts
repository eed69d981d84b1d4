/** Files as chunks in GridFS's own format. They know nothing of keys. */
import type { Binary, Collection, ObjectId } from 'mongodb'

/** A chunk as GridFS has it (https://github.com/mongodb/specifications/blob/master/source/gridfs/gridfs-spec.md). */
export interface Chunk {
  readonly files_id: ObjectId
  readonly n: number
  readonly data: Binary
}

export interface ChunkFile {
  readonly file: ObjectId
  /** Bytes. */
  readonly size: number
  /** Bytes of every chunk but the last. */
  readonly chunk_size: number
}

export type ChunkFiles = ReturnType<typeof chunkFiles>

export function chunkFiles(chunks: Collection<Chunk>) {
  async function read({ file, size, chunk_size }: ChunkFile, n: number): Promise<Buffer> {
    const chunk = await chunks.findOne({ files_id: file, n }, { projection: { _id: 0, data: 1 } })
    const data = chunk?.data.value()
    if (data?.length !== Math.min(chunk_size, size - n * chunk_size)) {
      throw new Error(`chunk ${n} of the file ${file} is not there: it was replaced or deleted over an hour ago`)
    }
    return Buffer.from(data.buffer, data.byteOffset, data.length)
  }

  return {
    async createIndexes(): Promise<void> {
      await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true })
    },

    /** Durable when it resolves, and the data may be used again. */
    async write(file: ObjectId, n: number, data: Binary): Promise<void> {
      await chunks.insertOne({ files_id: file, n, data })
    },

    /**
     * Bytes `start` to `end` (both inclusive, within the file), one chunk in memory at a time. Each is asked for by
     * itself, so that a slow reader holds no cursor at the server, which would forget it. Throws when a chunk is gone.
     */
    async *read(file: ChunkFile, start: number, end: number): AsyncGenerator<Buffer, void> {
      const stop = end + 1
      for (let at = start; at < stop; ) {
        const n = Math.floor(at / file.chunk_size)
        const from = n * file.chunk_size
        const data = await read(file, n)
        yield data.subarray(at - from, stop - from)
        at = from + data.length
      }
    },

    async remove(file: ObjectId): Promise<void> {
      await chunks.deleteMany({ files_id: file })
    },
  }
}
