/** Batch: batches of tasks on MongoDB, task events from Kafka. Any number of replicas; one of them makes and ends tasks. */
import { createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { createBatchService } from '@millhand/batch'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { pick, variables } from '../variables.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const batchVariables = configuration(
  { ...signingVariables, ...replicatedVariables, ...urlVariablesOf('batch'), ...pick('MILLHAND_RETENTION_DAYS') },
  Object.keys(variables),
)

/** A request of 20 MiB, and what its encoding adds. */
const MOST_MESSAGE = 24 * 2 ** 20

export const batch = defineProcess(batchVariables, config, async (config, runner, log) => {
  const health = createHealth()
  const { caller } = config
  const connections = connectServices('batch', config.addresses, { caller, runner, log, health })
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const owned = replicatedProcess('batch', { config, db, health, runner, log })
  const service = createBatchService({
    ...{ db, blobs, events: owned.events, clock, log },
    tasks: {
      compute: createClient(BatchTaskService, connections.compute),
      workforce: createClient(BatchTaskService, connections.workforce),
    },
    files: createClient(FileService, connections.compute),
    taskFiles: createClient(TaskFileService, connections.compute),
    cursors: createCursors(config.cursorKey),
    retentionMs: config.retentionMs,
  })
  return await owned.start({
    identity: connections.identity,
    routes: service.routes,
    mostMessageBytes: MOST_MESSAGE,
    async work(owning) {
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
  })
})

function config(set: ReturnType<typeof batchVariables>) {
  const caller = ownCredentialsOf('batch', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    addresses: addressesOf('batch', set, caller.tls),
  }
}
