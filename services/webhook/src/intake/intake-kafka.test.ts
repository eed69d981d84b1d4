import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openKafka } from '@millhand/eventlog/kafka'
import { noAccount } from '@millhand/store'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka, type Mongo, startKafka, startMongo } from '@millhand/test-servers'
import { describeIntake } from './intake.contract.ts'
import { openArchive, running, tasksTopic } from './intake.fixture.ts'
import { describeSpill } from './spill.contract.ts'
import { endpoint, taskEvent } from './task-event.fixture.ts'

describe('kafka and mongo', { skip: javaMissing }, () => {
  let kafka: Kafka
  let mongo: Mongo
  before(async () => {
    ;[kafka, mongo] = await Promise.all([startKafka(), startMongo()])
  })
  after(async () => {
    await kafka?.[Symbol.asyncDispose]()
    await mongo?.[Symbol.asyncDispose]()
  })

  const log = createLog({ level: 'error' })
  const never = new AbortController().signal
  const topic = { name: tasksTopic, partitions: 3, replication: 1, retentionMs: 2_592_000_000 }

  /** A log and a store of its own. */
  async function open() {
    const name = `t${crypto.randomUUID().slice(0, 8)}`
    const db = openMongo({ url: mongo.url(name), log })
    const events = openKafka({ brokers: [kafka.address], clientId: 'webhook', prefix: `${name}.`, log })
    await events.ensureTopics([topic], never)
    return {
      ...{ name, db, events },
      append: (...appended: Parameters<typeof events.publish>[0]) => events.publish(appended),
      async close() {
        await events.close()
        await db.close()
      },
    }
  }

  describeIntake('kafka and mongo', open)
  describeSpill('kafka and mongo', open, { killedEvery: 37 })

  it('goes on when the broker was killed and is back, and loses nothing', async () => {
    const opened = await open()
    const at = openArchive(opened)
    const heard = endpoint()
    await at.add(heard)
    const intake = running(at.deps)
    const events = [taskEvent(), taskEvent({ task: 'task_2' })] as const
    await opened.append(events[0])
    await intake.until(events[0])
    await kafka.kill()
    await kafka.start()
    await opened.append(events[1])
    await intake.until(events[1])
    await intake.stop()
    assert.deepEqual(await at.rows(), events.map(({ id }) => `${id} -> ${heard.id}`).sort())
    await opened.close()
  })

  it('begins at the beginning where the log has less than its place: another one has its name', async () => {
    const opened = await open()
    const at = openArchive(opened)
    const position = `${opened.name}.${tasksTopic}:zz,zz,zz`
    await at.offsets.write({
      kind: 'insert',
      document: { tenant: noAccount, id: 'intake', position, since: 0 },
      events: [],
    })
    const event = taskEvent()
    await opened.append(event)
    const intake = running(at.deps)
    await intake.until(event)
    await intake.stop()
    assert.equal((await at.archived()).length, 1)
    await opened.close()
  })

  it('waits for a topic that is not there yet', async () => {
    const opened = await open()
    const at = openArchive(opened)
    const late = 'millhand.late.v1'
    const intake = running({ ...at.deps, topics: [tasksTopic, late] })
    await opened.events.ensureTopics([{ ...topic, name: late }], never)
    const events = [taskEvent(), { ...taskEvent(), topic: late }] as const
    await opened.append(...events)
    await intake.until(...events)
    await intake.stop()
    await opened.close()
  })
})
