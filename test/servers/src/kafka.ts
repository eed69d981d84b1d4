/** Apache Kafka, one broker that is its own controller (KRaft). */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed } from './java.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startJava } from './server-process.ts'
import { sharedServer } from './shared-server.ts'

export type Kafka = ServerProcess

const VERSION = '4.3.1'

export interface KafkaOptions {
  /** Where it keeps its logs; a temporary folder, removed on dispose, where it is not given. */
  readonly dataDir?: string
  /** Further lines of `server.properties`. */
  readonly properties?: readonly string[]
}

/** A broker at a free port, with no topics, or without options the one of `TEST_SHARED_KAFKA` where that is set; `address` is its bootstrap address. Takes about 3 s, more at the first time. */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const shared = Object.keys(options).length === 0 ? sharedServer('TEST_SHARED_KAFKA') : undefined
  if (shared !== undefined) return shared
  const folder = await installed(
    `kafka-${VERSION}`,
    [`org.apache.kafka:kafka_2.13:${VERSION}`, 'org.apache.logging.log4j:log4j-slf4j-impl:2.25.4'],
    made => writeFile(join(made, 'log4j2.properties'), LOGGING),
  )
  const data = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'millhand-kafka-')))
  await mkdir(data, { recursive: true })
  const port = await freePort()
  const file = join(data, 'server.properties')
  await writeFile(file, properties(data, port, await freePort(), options.properties ?? []))

  const base = [
    ...'-Xms256m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData'.split(' '),
    `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
    '-Dlog4j2.disableJmx=true',
  ]
  const classes = ['-cp', join(folder, 'lib', '*')]
  if (!existsSync(join(data, 'logs', 'meta.properties'))) {
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
      .toString('base64url')
      .replace(/^-/, 'A')
    await run('java', [...base, ...classes, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', file])
  }

  // The first clean stop leaves an archive of the loaded classes, which halves later starts.
  const archive = join(folder, 'classes.jsa')
  const ownArchive = join(data, 'classes.jsa')
  const words = () => [
    ...base,
    existsSync(archive) ? `-XX:SharedArchiveFile=${archive}` : `-XX:ArchiveClassesAtExit=${ownArchive}`,
    ...classes,
    'kafka.Kafka',
    file,
  ]
  const kafka = await startJava(`127.0.0.1:${port}`, words, /Kafka Server started/)
  const dispose = async () => {
    await kafka[Symbol.asyncDispose]()
    if (options.dataDir === undefined) await rm(data, { recursive: true, force: true })
  }
  const stop = async () => {
    await kafka.stop()
    if (existsSync(ownArchive)) await rename(ownArchive, archive)
  }
  return Object.create(kafka, {
    stop: { value: stop },
    [Symbol.asyncDispose]: { value: existsSync(archive) ? dispose : async () => stop().then(dispose) },
  })
}

const run = promisify(execFile)

const properties = (data: string, port: number, controllerPort: number, more: readonly string[]): string =>
  `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${data}/logs
log.segment.bytes=67108864
default.replication.factor=1
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
num.network.threads=2
num.io.threads=4
background.threads=2
num.recovery.threads.per.data.dir=2
log.cleaner.dedupe.buffer.size=4194304
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
${more.join('\n')}
`

const LOGGING = `status=error
appender.c.type=Console
appender.c.name=c
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d{ISO8601} %p %c{1} %m%n
rootLogger.level=warn
rootLogger.appenderRef.c.ref=c
logger.s.name=kafka.server.KafkaRaftServer
logger.s.level=info
`
