/** Blobs as files in a folder, for the one-process shape. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { type BlobInfo, type Blobs, BlobTooLarge, checkBlobKey } from '../blobs.ts'

/** Ends the name of each file: it is in no key, so that `a` and `a/b` do not want one name for a file and a folder. */
const FILE = '@'

/**
 * Contents live under `<folder>/contents` by their key. A put writes to `<folder>/incoming` first, and renames when
 * all of it is on the disk. What broken puts left there is removed at once: the folder belongs to one process.
 */
export function filesystemBlobs(folder: string): Blobs {
  const contents = join(folder, 'contents')
  const incoming = join(folder, 'incoming')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(incoming, { recursive: true })
  mkdirSync(contents, { recursive: true })

  function pathOf(key: string): string {
    checkBlobKey(key)
    return join(contents, key + FILE)
  }

  return {
    async put(key, content, { maxBytes = Number.POSITIVE_INFINITY, signal } = {}) {
      const path = pathOf(key)
      const temporary = join(incoming, randomUUID())
      // A stream may break before it is read, and an error that nobody hears would end the process.
      const heard = () => undefined
      if (content instanceof Readable) content.on('error', heard)
      try {
        const info = await writeTo(temporary, content, maxBytes, signal)
        const made = await mkdir(dirname(path), { recursive: true })
        await rename(temporary, path)
        await syncFolders(dirname(path), dirname(made ?? path))
        return info
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      } finally {
        if (content instanceof Readable) content.off('error', heard)
      }
    },

    async get(key, range) {
      const path = pathOf(key)
      if (range !== undefined && !(range.start >= 0 && range.end >= range.start)) {
        throw new RangeError(`not a range: ${range.start} to ${range.end}`)
      }
      const file = await unlessMissing(open(path))
      return file?.createReadStream(range)
    },

    async delete(key) {
      await rm(pathOf(key), { force: true })
    },

    async *list(prefix) {
      const words = prefix.split('/').slice(0, -1)
      if (words.length > 0 && !isKey(words.join('/'))) return
      yield* walk(contents, words.map(word => `${word}/`).join(''), prefix)
    },
  }
}

/** Writes a new file and syncs it. */
async function writeTo(
  path: string,
  content: Readable | Uint8Array,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<BlobInfo> {
  const file = await open(path, 'wx')
  try {
    const info = await copy(content, file, maxBytes, signal)
    await file.sync()
    return info
  } finally {
    await file.close()
  }
}

async function copy(
  content: Readable | Uint8Array,
  file: FileHandle,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<BlobInfo> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of chunksOf(content, signal)) {
    size += chunk.length
    if (size > maxBytes) throw new BlobTooLarge(maxBytes)
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  return { size, sha256: hash.digest('hex') }
}

/** The chunks of the contents, until the signal ends: then throws its reason, also while a chunk is awaited. */
async function* chunksOf(content: Readable | Uint8Array, signal: AbortSignal | undefined): AsyncIterable<Buffer> {
  signal?.throwIfAborted()
  if (!(content instanceof Readable)) return yield Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  const abort = () => aborted.reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    const chunks = content.iterator({ destroyOnReturn: false })
    for (;;) {
      const next = await Promise.race([chunks.next(), aborted.promise])
      if (next.done) return
      yield Buffer.from(next.value)
    }
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** A renamed file is durable once its folder is, and a new folder once the one above it is. */
async function syncFolders(from: string, upTo: string): Promise<void> {
  for (let folder = from; folder.length >= upTo.length; folder = dirname(folder)) {
    const handle = await open(folder)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

async function* walk(contents: string, folder: string, prefix: string): ReturnType<Blobs['list']> {
  const entries = (await unlessMissing(readdir(join(contents, folder), { withFileTypes: true }))) ?? []
  for (const entry of entries) {
    const path = folder + entry.name
    if (!path.startsWith(prefix)) continue
    if (entry.isDirectory()) {
      yield* walk(contents, `${path}/`, prefix)
      continue
    }
    const found = await unlessMissing(stat(join(contents, path)))
    const key = path.slice(0, -FILE.length)
    if (found !== undefined && key.startsWith(prefix)) yield { key, writtenAt: found.mtimeMs }
  }
}

function isKey(key: string): boolean {
  try {
    checkBlobKey(key)
    return true
  } catch {
    return false
  }
}

const unlessMissing = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
