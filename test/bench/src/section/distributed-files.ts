/** A file through gateway, compute and GridFS. The database server keeps its data small, and so does this. */
import { startKafka, startMongo } from '@millhand/test-servers'
import type { Figure } from '../figure.ts'
import { descendants } from '../process-table.ts'
import { acceptOnly, type Workbench } from '../workbench.ts'
import { largeFile } from './files.ts'

const BYTES = 64 * 2 ** 20

export async function distributedFiles(workbench: Workbench): Promise<Figure[]> {
  await using kafka = await startKafka()
  await using mongo = await startMongo()
  const env = { ...acceptOnly, TEST_KAFKA: kafka.address, TEST_MONGO_OF_SERVICES: mongo.address }
  await using server = await workbench.server({ shape: 'distributed', env })
  return await largeFile(server, BYTES, () => descendants(server.pid))
}
