/** Blobs as files in a folder, for the one-process shape. */
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type BlobInfo,
  type BlobRange,
  type Blobs,
  checkBlobKey,
  checkBlobRange,
  cutBlobRange,
  isBlobKey,
  type PutOptions,
} from '../blobs.ts'
import { type Content, hearErrors, parts } from '../content.ts'
import { Folders, syncFolder } from './folders.ts'

/** Ends the name of each file: it is in no key, so that `a` and `a/b` do not want one name for a file and a folder. */
const FILE = '@'

/** Parts are written so many bytes at once: measured, a content of 6 MiB in parts of 64 KiB takes half as long. */
const WRITE_BYTES = 512 * 1024

/** Room on the folder's disk. */
export interface Room {
  /** Takes room for more contents; throws where they would leave too little. */
  takeForContents(bytes: number): void
  /** What a caller is told of an error of the disk; any other as it is. */
  explain(error: unknown): unknown
}

const unlimited: Room = { takeForContents() {}, explain: error => error }

/**
 * Contents live under `<folder>/contents` by their key. A put writes to `<folder>/incoming` first, and renames when
 * all of it is on the disk. What broken puts left there is removed at once: the folder belongs to one process.
 */
export async function filesystemBlobs(folder: string, room: Room = unlimited): Promise<Blobs> {
  const root = resolve(folder)
  const contents = join(root, 'contents')
  const incoming = join(root, 'incoming')
  await rm(incoming, { recursive: true, force: true })
  const made = await mkdir(contents, { recursive: true })
  await mkdir(incoming, { recursive: true })
  const highest = dirname(made ?? contents)
  for (let folder = root; ; folder = dirname(folder)) {
    await syncFolder(folder)
    if (folder === highest) break
  }
  const folders = new Folders(contents)

  return {
    ...blobReader(folder),

    async put(key, content, options = {}) {
      const path = pathIn(contents, key)
      const temporary = join(incoming, randomUUID())
      using _ = hearErrors(content)
      try {
        const info = await writeTo(temporary, content, options, room)
        await folders.change(dirname(path), () => rename(temporary, path))
        return info
      } catch (error) {
        await unlessMissing(unlink(temporary))
        throw room.explain(error)
      }
    },

    async delete(key) {
      const path = pathIn(contents, key)
      await unlessMissing(unlink(path))
      // Also when there was nothing: the delete that removed it may not have come so far.
      await unlessMissing(folders.sync(dirname(path)))
    },
  }
}

/** Reads what is there, and changes nothing. */
export function blobReader(folder: string): Pick<Blobs, 'get' | 'list'> {
  const contents = join(resolve(folder), 'contents')
  return {
    async get(key, range) {
      const path = pathIn(contents, key)
      if (range) checkBlobRange(range)
      const file = await unlessMissing(open(path))
      return file && (await streamOf(file, range))
    },

    async *list(prefix) {
      const words = prefix.split('/').slice(0, -1)
      if (words.length > 0 && !isBlobKey(words.join('/'))) return
      yield* walk(contents, words.map(word => `${word}/`).join(''), prefix)
    },
  }
}

function pathIn(contents: string, key: string): string {
  checkBlobKey(key)
  return join(contents, key + FILE)
}

/** Writes a new file and syncs it. */
async function writeTo(path: string, content: Content, options: PutOptions, room: Room): Promise<BlobInfo> {
  const file = await open(path, 'wx')
  try {
    const hash = createHash('sha256')
    let size = 0
    let unwritten: Uint8Array[] = []
    let unwrittenBytes = 0
    const write = async () => {
      await file.writeFile(Buffer.concat(unwritten))
      unwritten = []
      unwrittenBytes = 0
    }
    for await (const part of parts(content, options)) {
      room.takeForContents(part.length)
      size += part.length
      hash.update(part)
      unwritten.push(part)
      unwrittenBytes += part.length
      if (unwrittenBytes >= WRITE_BYTES) await write()
    }
    await write()
    await file.sync()
    return { size, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

/** The stream closes the file. */
async function streamOf(file: FileHandle, range: BlobRange | undefined) {
  try {
    return file.createReadStream(range && cutBlobRange(range, (await file.stat()).size))
  } catch (error) {
    await file.close()
    throw error
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

const unlessMissing = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
