/**
 * Starts the product as `pnpm serve all --distributed` does, for a suite that starts many of them on one broker and one
 * database server: each data folder has a database and topics of its own.
 */
import { deploymentName } from '@millhand/test-e2e/deployment-name'

const { TEST_MONGO_OF_SERVICES, TEST_KAFKA, MILLHAND_DATA_DIR = '' } = process.env
const name = deploymentName(MILLHAND_DATA_DIR)
Object.assign(process.env, {
  MILLHAND_MONGO_URL: `mongodb://${TEST_MONGO_OF_SERVICES}/${name}`,
  MILLHAND_KAFKA_BROKERS: TEST_KAFKA,
  MILLHAND_KAFKA_PREFIX: `${name}.`,
  MILLHAND_KAFKA_PARTITIONS: '1',
})
process.argv.splice(2, Number.POSITIVE_INFINITY, 'all', '--distributed')
await import('../../../deploy/src/serve.ts')
