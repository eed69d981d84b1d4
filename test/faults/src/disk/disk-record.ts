/** What disk.c wrote down, and what a disk holds that loses its power at some moment of it. */
import { readFileSync } from 'node:fs'
import type { Random } from '../random.ts'

/** A file or a folder; the record's paths are names of it at their time. */
interface Inode {
  /** Of a file: what was done to its content. */
  readonly writes: { readonly at: number; readonly offset: number; readonly data: Buffer | 'cut' }[]
  /** Of a folder: what was done to its names. Undefined for a file. */
  readonly names: { readonly at: number; readonly name: string; readonly inode: Inode | undefined }[] | undefined
  /** Each sync that ended: what was done before its beginning is on the disk from its end on. */
  readonly syncs: { readonly begun: number; readonly ended: number }[]
}

export interface DiskRecord {
  /** How many entries it has. */
  readonly length: number
  /** When an entry was made, in nanoseconds of `process.hrtime`. */
  timeOf(entry: number): bigint
  /** Of each entry whether it is a sync that ends. */
  isSync(entry: number): boolean
  /** The files when the power is lost before this entry; by default, all as they were written. */
  filesAt(entry: number, chosen?: Random): ReadonlyMap<string, Buffer>
}

/** As the enum in disk.c. */
const [OPEN, WRITE, TRUNCATE, SYNC, SYNCED, RENAME, UNLINK, MKDIR, RMDIR, LINK] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const HEAD = 32
/** What a disk writes as one. */
const SECTOR = 512

/** `root` is there from the beginning, and durable. */
export function readRecord(file: string, root: string): DiskRecord {
  const bytes = readFileSync(file)
  const top = folder()
  const times: bigint[] = []
  const ended = new Set<number>()
  const open = new Map<number, Inode>()
  const begun = new Map<Inode, number[]>()

  const parentOf = (path: string): readonly [Inode, string] => {
    const words = path.slice(root.length).split('/').filter(Boolean)
    const name = words.pop() ?? ''
    return [words.reduce((at, word) => found(at, word), top), name]
  }
  const lookUp = (path: string): Inode => {
    const [parent, name] = parentOf(path)
    return name === '' ? top : found(parent, name)
  }
  const set = (at: number, path: string, inode: Inode | undefined) => {
    const [parent, name] = parentOf(path)
    parent.names?.push({ at, name, inode })
  }
  const inodeOf = (fd: number): Inode => {
    const inode = open.get(fd)
    if (inode === undefined) throw new Error(`descriptor ${fd} is of no file`)
    return inode
  }

  for (let position = 0, at = 0; position < bytes.length; at++) {
    const [op, fd] = [bytes.readUInt32LE(position), bytes.readInt32LE(position + 4)]
    times.push(bytes.readBigUInt64LE(position + 8))
    const offset = Number(bytes.readBigInt64LE(position + 16))
    const [pathBytes, dataBytes] = [bytes.readUInt32LE(position + 24), bytes.readUInt32LE(position + 28)]
    position += HEAD
    const path = bytes.toString('utf8', position, position + pathBytes)
    const data = bytes.subarray(position + pathBytes, position + pathBytes + dataBytes)
    position += pathBytes + dataBytes
    switch (op) {
      case OPEN: {
        if (path === root) open.set(fd, top)
        else {
          if ((offset & 1) !== 0) set(at, path, { writes: [], names: undefined, syncs: [] })
          const inode = lookUp(path)
          if ((offset & 2) !== 0) inode.writes.push({ at, offset: 0, data: 'cut' })
          open.set(fd, inode)
        }
        break
      }
      case WRITE:
        inodeOf(fd).writes.push({ at, offset, data })
        break
      case TRUNCATE:
        inodeOf(fd).writes.push({ at, offset, data: 'cut' })
        break
      case SYNC:
        begun.set(inodeOf(fd), [...(begun.get(inodeOf(fd)) ?? []), at])
        break
      case SYNCED:
        // Of two at once the one that began first is taken to end first: that promises no more than both.
        inodeOf(fd).syncs.push({ begun: begun.get(inodeOf(fd))?.shift() ?? at, ended: at })
        ended.add(at)
        break
      case RENAME:
      case LINK:
        set(at, data.toString(), lookUp(path))
        if (op === RENAME) set(at, path, undefined)
        break
      case UNLINK:
      case RMDIR:
        set(at, path, undefined)
        break
      case MKDIR:
        if (path !== root) set(at, path, folder())
        break
      default:
        throw new Error(`entry ${at} of the record is of kind ${op}`)
    }
  }
  return {
    length: times.length,
    timeOf: entry => times[entry] as bigint,
    isSync: entry => ended.has(entry),
    filesAt: (entry, chosen) => new Map(filesBelow(top, '', entry, chosen)),
  }
}

const folder = (): Inode => ({ writes: [], names: [], syncs: [] })

function found(parent: Inode, name: string): Inode {
  const inode = parent.names?.findLast(entry => entry.name === name)?.inode
  if (inode === undefined) throw new Error(`the record opens ${name}, which it has not made`)
  return inode
}

function* filesBelow(at: Inode, path: string, entry: number, chosen?: Random): Generator<[string, Buffer]> {
  const names = new Map<string, Inode | undefined>()
  for (const { name, inode } of kept(at, at.names ?? [], entry, chosen)) names.set(name, inode)
  for (const [name, inode] of names) {
    if (inode?.names !== undefined) yield* filesBelow(inode, `${path}${name}/`, entry, chosen)
    else if (inode !== undefined) yield [path + name, contentOf(inode, entry, chosen)]
  }
}

function contentOf(file: Inode, entry: number, chosen?: Random): Buffer {
  let content = Buffer.alloc(0)
  let length = 0
  const grow = (least: number) => {
    if (content.length < least)
      content = Buffer.concat([content, Buffer.alloc(Math.max(least, content.length) * 2 - content.length)])
  }
  const durable = durableUntil(file, entry)
  for (const { at, offset, data } of kept(file, file.writes, entry, chosen)) {
    if (data === 'cut') {
      if (offset < length) content.fill(0, offset, length)
      grow(offset)
      length = offset
      continue
    }
    const size = at > durable && chosen && chosen.next() < TORN ? tornSize(offset, data.length, chosen) : data.length
    grow(offset + size)
    data.copy(content, offset, 0, size)
    length = Math.max(length, offset + size)
  }
  return content.subarray(0, length)
}

/** Of writes that no sync has covered and that are kept all the same. */
const TORN = 0.3

/** Up to the end of a sector. */
function tornSize(offset: number, size: number, { between }: Random): number {
  const end = Math.ceil((offset + between(0, size)) / SECTOR) * SECTOR
  return Math.min(size, end - offset)
}

/** What was done until a sync, and of what came after it none, all, the first ones or any. */
function kept<T extends { readonly at: number }>(
  inode: Inode,
  done: readonly T[],
  entry: number,
  chosen?: Random,
): T[] {
  const before = done.filter(({ at }) => at < entry)
  if (!chosen) return before
  const durable = durableUntil(inode, entry)
  const unsynced = before.filter(({ at }) => at > durable)
  const choice = chosen.between(0, 3)
  const first = chosen.between(0, unsynced.length)
  const isKept = (index: number) =>
    choice === 1 || (choice === 2 && index < first) || (choice === 3 && chosen.next() < 0.5)
  const lost = new Set(unsynced.filter((_, index) => !isKept(index)))
  return before.filter(one => !lost.has(one))
}

/** The entry up to which all that was done to it is on the disk. */
function durableUntil({ syncs }: Inode, entry: number): number {
  return syncs.reduce((last, { begun, ended }) => (ended < entry ? Math.max(last, begun) : last), -1)
}
