/**
 * Starts the product as `pnpm serve all --distributed` does, for a suite that starts many of them on one broker and one
 * database server: each data folder has a database and topics of its own.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

const { TEST_MONGO, TEST_KAFKA, MILLHAND_DATA_DIR = '' } = process.env
const name = `t${createHash('sha256').update(resolve(MILLHAND_DATA_DIR)).digest('hex').slice(0, 10)}`
Object.assign(process.env, {
  MILLHAND_MONGO_URL: `mongodb://${TEST_MONGO}/${name}`,
  MILLHAND_KAFKA_BROKERS: TEST_KAFKA,
  MILLHAND_KAFKA_PREFIX: `${name}.`,
  MILLHAND_KAFKA_PARTITIONS: '1',
})
process.argv.splice(2, Number.POSITIVE_INFINITY, 'all', '--distributed')
await import('../../../deploy/src/serve.ts')
