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
import { installed } from './java.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startJava } from './server-process.ts'

export interface Mongo extends ServerProcess {
  /** `mongodb://127.0.0.1:<port>/<database>`; a new database where no name is given. */
  url(database?: string): string
}

const VERSION = '1.47.0'
const sources = ['MongoWireServer', 'SecondaryIndex'].map(name => join(import.meta.dirname, `../mongo/${name}.java`))

/** A server at a free port. Keeps everything in memory, or in `dataDir`, where what it has acknowledged survives. */
export async function startMongo(options: { readonly dataDir?: string } = {}): Promise<Mongo> {
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
  const words = () => [
    ...'-Xms64m -Xmn48m -Xmx512m -XX:+UseSerialGC -XX:-UsePerfData'.split(' '),
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    `${join(folder, 'classes')}:${join(folder, 'lib', '*')}`,
    'de.bwaldvogel.mongo.backend.h2.MongoWireServer',
    String(port),
    options.dataDir ?? '-',
  ]
  const server = await startJava(`127.0.0.1:${port}`, words, /^READY/m)
  const url = (database = `t_${crypto.randomUUID().slice(0, 8)}`) => `mongodb://${server.address}/${database}`
  return Object.create(server, { url: { value: url } })
}

const run = promisify(execFile)
