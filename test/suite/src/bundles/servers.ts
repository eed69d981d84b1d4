/** Files that need a database server or a broker and leave it running: one of each, and databases and topics of their own. */
import { javaMissing, startKafka, startMongo } from '@millhand/test-servers'
import { importTests } from '../bundles.ts'

if (javaMissing === false) {
  const [mongo, kafka] = await Promise.all([startMongo(), startKafka()])
  process.env.TEST_SHARED_MONGO = mongo.address
  process.env.TEST_SHARED_KAFKA = kafka.address
  importTests('servers', () => Promise.all([mongo[Symbol.asyncDispose](), kafka[Symbol.asyncDispose]()]))
} else {
  importTests('servers') // Each says what it needs.
}
