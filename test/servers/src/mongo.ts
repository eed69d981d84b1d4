/**
 * A server that speaks MongoDB's protocol: mongo-java-server, with what stands in `mongo` around it. It is not MongoDB:
 * its compare-and-set and unique indexes are exact and its others are ours, but it has no transactions and no change
 * streams, and its speed is not worth comparing.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, javaMissing } from './java.ts'
import { freePort } from './ports.ts'
import { startJava } from './server-process.ts'
import { sharedServer } from './shared-server.ts'
import { type Mongo, startWiredTiger, wiredTigerMissing, withUrl } from './wiredtiger.ts'

export type { Mongo } from './wiredtiger.ts'

const VERSION = '1.47.0'
const sources = ['MongoWireServer', 'SecondaryIndex'].map(name => join(import.meta.dirname, `../mongo/${name}.java`))

export interface MongoOptions {
  /** Where it keeps its data: what it has acknowledged survives there. Without it nothing outlives the server. */
  readonly dataDir?: string
  /** For more documents than a run of the tests leaves, of which each index is in memory: so much is there from the start. */
  readonly heapGiB?: number
}

/**
 * A server at a free port: this one, or with `TEST_MONGO_SERVER=wiredtiger` the second judge; the one of `TEST_SHARED_MONGO`
 * where that is set and no data folder is given.
 */
export async function startMongo(options: MongoOptions = {}): Promise<Mongo> {
  const shared = options.dataDir === undefined ? sharedServer('TEST_SHARED_MONGO') : undefined
  if (shared !== undefined) return withUrl(shared, `_${crypto.randomUUID().slice(0, 8)}`)
  return process.env.TEST_MONGO_SERVER === 'wiredtiger' ? startWiredTiger(options) : startWireServer(options)
}

/** Why suites that need a server of MongoDB's protocol skip. */
export const mongoMissing = process.env.TEST_MONGO_SERVER === 'wiredtiger' ? wiredTigerMissing : javaMissing

async function startWireServer(options: MongoOptions): Promise<Mongo> {
  const texts = await Promise.all(sources.map(source => readFile(source)))
  const digest = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 12)
  const folder = await installed(
    `mongo-wire-${VERSION}-${digest}`,
    [
      `de.bwaldvogel:mongo-java-server:${VERSION}`,
      `de.bwaldvogel:mongo-java-server-h2-backend:${VERSION}`,
      'org.slf4j:slf4j-simple:2.0.17',
    ],
    async made => {
      await mkdir(join(made, 'classes'))
      await run('javac', ['-nowarn', '-cp', join(made, 'lib', '*'), '-d', join(made, 'classes'), ...sources])
    },
  )
  const port = await freePort()
  const { heapGiB } = options
  // A whole run leaves more than 512 MiB of documents there.
  const heap = heapGiB === undefined ? ['-Xms64m', '-Xmx2g'] : [`-Xms${heapGiB}g`, `-Xmx${heapGiB}g`]
  const words = () => [
    ...heap,
    // A full heap ends it: one that stays never answers again.
    ...'-Xmn48m -XX:+ExitOnOutOfMemoryError -XX:+UseSerialGC -XX:-UsePerfData'.split(' '),
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    `${join(folder, 'classes')}:${join(folder, 'lib', '*')}`,
    'de.bwaldvogel.mongo.backend.h2.MongoWireServer',
    String(port),
    options.dataDir ?? '-',
  ]
  return withUrl(await startJava(`127.0.0.1:${port}`, words, /^READY/m))
}

const run = promisify(execFile)
