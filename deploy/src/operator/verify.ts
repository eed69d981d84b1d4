/** `pnpm millhand verify` */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Blobs } from '@millhand/blob'
import { blobReader } from '@millhand/blob/filesystem'
import { type Finding, readStore, type StoredDocument, verifySqlite } from '@millhand/store/sqlite'
import { UnusableFile } from '../unusable-file.ts'
import type { FolderCommand } from './command.ts'
import { exitCodes } from './help.ts'

export const verifyCommand: FolderCommand = {
  at: 'folder',
  name: 'verify',
  words: '',
  count: [0, 0],
  summary: 'Checks all that the store in the data folder promises, and changes nothing. It reads everything.',
  async run(_, dataDir) {
    const findings = await verify(dataDir)
    const problems = findings.flatMap(finding => finding.problems.map(problem => `${finding.check}: ${problem}`))
    const isSound = problems.length === 0
    return {
      json: JSON.stringify({ sound: isSound, checks: findings }),
      table: [
        ['CHECK', 'SEEN', 'RESULT'],
        ...findings.map(finding => [finding.check, String(finding.seen), resultOf(finding)]),
      ],
      note: isSound ? undefined : `${problems.join('\n')}\n\n${REMEDY}`,
      exitCode: isSound ? exitCodes.done : exitCodes.refused,
    }
  },
}

const REMEDY = 'The store is not sound. Restore it from a backup: docs/operating.md, “A damaged store”.'

interface NotedFinding extends Finding {
  /** What is no problem, and may be of use. */
  readonly note?: string
}

const resultOf = ({ problems, note }: NotedFinding) =>
  `${problems.length === 0 ? 'sound' : `not sound: ${problems.length}`}${note === undefined ? '' : `; ${note}`}`

async function verify(dataDir: string): Promise<NotedFinding[]> {
  const file = join(dataDir, 'millhand.db')
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new UnusableFile(file, 'is not there', 'MILLHAND_DATA_DIR must be the folder of a server that has started')
  }
  const stored = await verifySqlite(file, new AbortController().signal)
  // Without readable pages there is nothing to compare with.
  if (stored.some(({ check, problems }) => check === 'pages and indexes' && problems.length > 0)) return stored
  return [...stored, eventsOfTasks(file), await blobs(file, blobReader(join(dataDir, 'blobs')))]
}

const TASKS = ['tasks', 'workforce_tasks']

/** Events of about the time of the oldest may have been trimmed. */
const TRIMMED_MS = 60_000

/** Each step in a task's history has its event, as far back as events are kept. */
function eventsOfTasks(file: string): Finding {
  using store = readStore(file)
  const { versions, oldest, first } = store.eventVersions()
  const keptSince = first > 1 ? oldest + TRIMMED_MS : 0
  const problems: string[] = []
  let seen = 0
  for (const collection of TASKS) {
    for (const task of store.documents(collection)) {
      for (const { version, at } of historyOf(task)) {
        if (at < keptSince) continue
        seen++
        if (!versions.has(`${task.id} ${version}`)) problems.push(`${task.id} has no event of its version ${version}`)
      }
    }
  }
  return { check: 'events of tasks', seen, problems: problems.slice(0, MOST_PROBLEMS) }
}

const MOST_PROBLEMS = 20

const historyOf = (task: StoredDocument) => (task.history ?? []) as { readonly version: number; readonly at: number }[]

/** Each blob that a document names is there, whole; what no document names is counted. */
async function blobs(file: string, reader: Pick<Blobs, 'get' | 'list'>): Promise<NotedFinding> {
  const hashes = namedBlobs(file)
  const problems: string[] = []
  for (const [key, expected] of hashes) {
    const actual = await hashOf(reader, key)
    if (actual === undefined) problems.push(`${key} is missing`)
    else if (expected !== undefined && actual !== expected) problems.push(`${key} has other contents than were stored`)
  }
  const orphans: string[] = []
  for await (const { key } of reader.list('')) if (!hashes.has(key)) orphans.push(key)
  const note = orphans.length === 0 ? undefined : `${orphans.length} that no document names, such as ${orphans[0]}`
  return { check: 'blobs', seen: hashes.size, problems, ...(note !== undefined && { note }) }
}

/** By key: the SHA-256 where it is stored. */
function namedBlobs(file: string): Map<string, string | undefined> {
  using store = readStore(file)
  const named = new Map<string, string | undefined>()
  for (const { tenant, id, state, sha256 } of store.documents('contents')) {
    if (state === 'kept') named.set(`files/${tenant}/${id}`, String(sha256))
  }
  for (const collection of TASKS) {
    for (const { input_blob } of store.documents(collection)) {
      if (typeof input_blob === 'string') named.set(input_blob, undefined)
    }
  }
  return named
}

async function hashOf(reader: Pick<Blobs, 'get'>, key: string): Promise<string | undefined> {
  const content = await reader.get(key)
  if (content === undefined) return undefined
  const hash = createHash('sha256')
  for await (const part of content) hash.update(part)
  return hash.digest('hex')
}
