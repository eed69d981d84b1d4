import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { eventTypes } from '@millhand/eventlog/event-types'
import { type KafkaEventLog, openKafka } from '@millhand/eventlog/kafka'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { blocks } from '@millhand/test-e2e/documents'
import { repository, temporaryFolder } from '@millhand/test-e2e/server'
import { javaMissing, type Kafka, pythonPath, startKafka } from '@millhand/test-servers'
import { faultsOf } from './payload.ts'
import { startPrinting } from './printing.ts'
import { everyTaskEvent } from './task-events.ts'
import { consumerMissing, kcatMissing } from './tools.ts'

const page = readFileSync(join(repository, 'docs/analytics.md'), 'utf8')
const files = blocks(page).filter(({ language }) => language === 'ts' || language === 'python')
const commands = blocks(page)
  .filter(({ flags }) => flags.includes('kafka'))
  .map(({ code }) => code)
const commandWith = (word: string) => {
  const [command] = commands.filter(line => line.includes(word))
  assert.ok(command, `the page has no command with ${word}`)
  return command
}

describe('what docs/analytics.md says', () => {
  it('names every topic and every type of event', () => {
    const topics = Object.values(publicTopics).map(({ name }) => name)
    for (const word of [...topics, ...eventTypes]) assert.ok(page.includes(`\`${word}\``), word)
  })

  it('shows an event as it is', () => {
    const [example] = blocks(page).filter(({ language }) => language === 'json')
    assert.deepEqual(faultsOf('task.succeeded', 'payload', JSON.parse(example?.code ?? '')), [])
  })

  it('installs the versions that these tests run', () => {
    const catalog = readFileSync(join(repository, 'pnpm-workspace.yaml'), 'utf8')
    const requirements = readFileSync(join(repository, '.ci/requirements.txt'), 'utf8')
    const [, kafkajs] = /npm install kafkajs@(\S+)/.exec(page) ?? []
    const [client] = /confluent-kafka==\S+/.exec(page) ?? []
    assert.ok(catalog.includes(`\n  kafkajs: ${kafkajs}\n`))
    assert.ok(requirements.split('\n').includes(client ?? ''), client)
  })

  it('has a file for each command that runs one, and no other', () => {
    const named = files.map(({ flags: [name] }) => name)
    assert.equal(new Set(named).size, named.length)
    for (const name of named) commandWith(name ?? '')
    assert.equal(commands.length, named.length + 1)
  })
})

describe('the consumers of docs/analytics.md', { skip: javaMissing }, () => {
  const { name: topic } = publicTopics.tasks
  let kafka: Kafka
  let log: KafkaEventLog
  let events: readonly OutboxEvent[]
  let published: readonly OutboxEvent[]
  let place: { folder: string; path: string }
  const started = new AbortController()
  const at = (text: string) => text.replaceAll('127.0.0.1:9092', kafka.address)

  before(async () => {
    kafka = await startKafka()
    log = openKafka({ brokers: [kafka.address], clientId: 'test', log: createLog({ level: 'error' }) })
    // One partition, so that whoever has seen the last event has seen all.
    await log.ensureTopics([{ name: topic, partitions: 1, replication: 1, retentionMs: 1e13 }], started.signal)
    events = await everyTaskEvent()
    // A relay that dies publishes again what it had, here all but the latest event of each task.
    const latest = new Map(events.map(event => [event.key, event]))
    const old = events.filter(event => latest.get(event.key) !== event)
    published = [...events.slice(0, -1), ...old, ...events.slice(-1)]
    await log.publish(published)
    const folder = temporaryFolder('millhand-analytics-')
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
    for (const { flags, code } of files) writeFileSync(join(folder, flags[0] ?? ''), at(code))
    place = { folder, path: pythonPath }
  })
  after(async () => {
    started.abort()
    await log?.close()
    await kafka?.[Symbol.asyncDispose]()
  })

  const lines = () => published.map(({ type, key, value }) => `${type} ${key} ${JSON.parse(value).resource_version}\n`)

  it('kcat prints every event with its key and headers', { skip: kcatMissing }, async t => {
    await using kcat = startPrinting(at(commandWith('kcat')), place, t.signal)
    const printed = (await kcat.ended()).trimEnd().split('\n')
    assert.equal(printed.length, published.length * 2)
    for (const [at, { key, id, type, value }] of published.entries()) {
      assert.equal(printed[at * 2 + 1], value)
      const [of, given] = printed[at * 2]?.split(' ') ?? []
      const headers = Object.fromEntries(given?.split(',').map(pair => pair.split('=')) ?? [])
      assert.deepEqual(faultsOf(type, 'headers', headers), [])
      assert.deepEqual([of, headers.ce_subject, headers.ce_id], [key, key, id])
    }
  })

  it('the consumer in TypeScript prints every event', { timeout: 300_000 }, async t => {
    await using consumer = startPrinting(commandWith('consume.mts'), place, t.signal)
    const printed = await consumer.until(text => text.split('\n').length > published.length)
    assert.equal(printed, lines().join(''))
  })

  it('the consumer in TypeScript passes a strict check of its types', () => {
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const tsc = join(repository, 'node_modules/.bin/tsc')
    const types = ['--typeRoots', join(repository, 'node_modules/@types')]
    execFileSync(tsc, [...strict, ...types, 'consume.mts'], { cwd: place.folder, encoding: 'utf8' })
  })

  it('the consumer in Python prints every event', { skip: consumerMissing, timeout: 300_000 }, async t => {
    await using consumer = startPrinting(commandWith('consume.py'), place, t.signal)
    const printed = await consumer.until(text => text.split('\n').length > published.length)
    assert.equal(printed, lines().join(''))
  })

  it('the table has the latest state of each task, whatever came again', {
    skip: consumerMissing,
    timeout: 300_000,
  }, async t => {
    const latest = new Map(events.map(event => [event.key, JSON.parse(event.value).data.object]))
    const tasks = [...latest].map(([id, task]) => [id, task.resource_version, task.status, task.model])
    await using consumer = startPrinting(commandWith('table.py'), place, t.signal)
    const stop = new AbortController()
    consumer.ended().catch(error => stop.abort(error))
    let rows: unknown[][] = []
    for await (const _ of watch(place.folder, { signal: stop.signal })) {
      rows = rowsOf(join(place.folder, 'tasks.db'))
      const last = rows.find(([id]) => id === tasks.at(-1)?.[0])
      if (last?.[1] === tasks.at(-1)?.[1]) break // Its event is the last, so all others were read.
    }
    assert.deepEqual(rows, tasks.sort())
  })
})

/** What the table has, by the tasks' ids; nothing while there is none. */
function rowsOf(file: string): unknown[][] {
  if (!existsSync(file)) return []
  using db = new DatabaseSync(file, { readOnly: true, timeout: 300_000 })
  const [made] = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tasks'").all()
  return made === undefined ? [] : db.prepare('SELECT * FROM tasks ORDER BY id').all().map(Object.values)
}
