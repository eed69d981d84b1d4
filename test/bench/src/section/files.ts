/** A large file up and down, what it costs in memory, and what uploads that break off leave. */
import { createHash, type Hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '@millhand/test-e2e/server'
import type { Figure } from '../figure.ts'
import { memoryDuring } from '../memory-during.ts'
import { acceptOnly, type Workbench } from '../workbench.ts'

const MIB = 2 ** 20
const LARGE = 512 * MIB
const BROKEN = 10_000
const AT_ONCE = 32

/** "Must hold": so much more resident memory than before. */
const MOST_MORE = 64

export async function files(workbench: Workbench): Promise<Figure[]> {
  await using server = await workbench.server({ env: acceptOnly })
  return [...(await largeFile(server, LARGE, () => [server.pid])), ...(await brokenUploads(server))]
}

/** Up and down, the same bytes, and the memory of the processes meanwhile. */
export async function largeFile(server: Server, bytes: number, pids: () => readonly number[]): Promise<Figure[]> {
  const size = `${bytes / MIB} MiB`
  await download(server, (await upload(server, MIB)).id) // What is loaded at first use is no memory of a transfer.
  const up = await memoryDuring(pids, () => upload(server, bytes))
  const down = await memoryDuring(pids, () => download(server, up.result.id))
  if (down.result !== up.result.sha256) throw new Error('what came down is not what went up')
  const figure = (name: string, value: number, unit: string, most?: number): Figure => ({
    section: 'files',
    name: `${size} ${name}`,
    unit,
    rounds: [value],
    ...(most !== undefined && { aim: { most } }),
    limits: [],
    details: {},
  })
  const rate = (ms: number) => bytes / MIB / (ms / 1_000)
  return [
    figure('up', rate(up.ms), 'MiB/s'),
    figure('up: resident memory, more than before', up.moreBytes / MIB, 'MiB', MOST_MORE),
    figure('down, the same SHA-256', rate(down.ms), 'MiB/s'),
    figure('down: resident memory, more than before', down.moreBytes / MIB, 'MiB', MOST_MORE),
  ]
}

/** Uploads that end in the middle, many at once; and what is then on disk and in the store. */
async function brokenUploads(server: Server): Promise<Figure[]> {
  const folder = join(server.dataDir, 'blobs')
  const held = () => ({ bytes: bytesIn(folder), documents: documentsIn(join(server.dataDir, 'millhand.db')) })
  const before = held()
  let left = BROKEN
  const breakSome = async () => {
    while (left-- > 0) await breakOne(server)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, breakSome))
  for (let tries = 0; tries < 100 && held().documents > before.documents; tries++) await pause(100)
  const after = held()
  const figure = (what: 'bytes' | 'documents'): Figure => ({
    section: 'files',
    name: `${what} that ${BROKEN.toLocaleString('en')} broken uploads leave`,
    unit: '',
    rounds: [after[what] - before[what]],
    aim: { most: 0 },
    limits: [],
    details: {},
  })
  return [figure('bytes'), figure('documents')]
}

function begin(server: Server, path: string, method: string, headers: Record<string, string | number>): ClientRequest {
  const agent = new Agent({ keepAlive: false })
  return request(`${server.url}${path}`, {
    method,
    agent,
    headers: { authorization: `Bearer ${server.key}`, ...headers },
  })
}

const part = Buffer.alloc(MIB, 'Bytes that nobody compresses here. ')

/** Resolves with what the service says of it, once that agrees with what was sent. */
async function upload(server: Server, bytes: number): Promise<{ readonly id: string; readonly sha256: string }> {
  const outgoing = begin(server, '/v1/files', 'POST', { 'content-length': bytes })
  const answered = answerTo(outgoing)
  const hash = createHash('sha256')
  for (let sent = 0; sent < bytes; sent += MIB) {
    part.writeUInt32LE(sent / MIB) // No two parts are the same.
    const own = Buffer.from(part)
    hash.update(own)
    if (!outgoing.write(own)) await new Promise(resolve => outgoing.once('drain', resolve))
  }
  outgoing.end()
  const incoming = await answered
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  if (incoming.statusCode !== 201) throw new Error(`the upload was answered ${incoming.statusCode}: ${text}`)
  const file = JSON.parse(text)
  if (file.sha256 !== hash.digest('hex')) throw new Error('the service has another SHA-256 than what was sent')
  return file
}

/** Resolves with the SHA-256 of what came. */
async function download(server: Server, id: string): Promise<string> {
  const outgoing = begin(server, `/v1/files/${id}/content`, 'GET', {})
  const answered = answerTo(outgoing)
  outgoing.end()
  const hash: Hash = createHash('sha256')
  for await (const chunk of await answered) hash.update(chunk)
  return hash.digest('hex')
}

/** Sends a part of what it announces, and leaves. */
async function breakOne(server: Server): Promise<void> {
  const outgoing = begin(server, '/v1/files', 'POST', { 'content-length': MIB })
  const gone = new Promise<void>(resolve => {
    outgoing.on('error', () => {})
    outgoing.on('close', resolve)
  })
  outgoing.write(part.subarray(0, 65_536), () => setTimeout(() => outgoing.destroy(), 2))
  await gone
}

const answerTo = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void outgoing.on('response', resolve).on('error', reject))

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Those of uploads and of files. */
function documentsIn(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows)
  const rows = count('contents') + count('files')
  db.close()
  return rows
}
