/**
 * An executor in an instance: runs tasks of the account that created the instance. It reaches compute and nothing else.
 * docs/decisions/capacity-by-api.md
 */
import { createClient } from '@connectrpc/connect'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { chooseSandbox, copiedModels, createExecutor } from '@millhand/executor'
import { onnxRunner } from '@millhand/executor/onnx'
import { loadCatalogue } from '@millhand/model'
import { systemClock as clock, configuration, createHealth, secret, urls } from '@millhand/process'
import { createNetworkTransport } from '@millhand/rpc/network'
import { executorRoom, executorRoomVariables, modelFolders } from '../config-parts.ts'
import { requireFolder } from '../folders.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { joinPool } from './join-pool.ts'

const executorVariables = configuration(
  {
    MILLHAND_JOIN_URL: urls('Where compute is reached.', ['http:', 'https:']),
    MILLHAND_JOIN_CREDENTIAL: secret('What the instance service gives to each replica.'),
    ...pick('MILLHAND_MODELS_DIR', ...executorRoomVariables, 'MILLHAND_LOG_LEVEL'),
  },
  Object.keys(variables),
)

export const instanceExecutor = defineProcess(executorVariables, config, async (config, runner, log) => {
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  await chooseSandbox(config.sandbox, log)
  const models = await loadCatalogue(config.modelFolders)
  const pool = joinPool(config, { clock, log })
  await pool.join()
  runner.run('token', signal => pool.renew(signal))
  const transport = createNetworkTransport({ url: config.url, token: pool.token })
  runner.own({ close: async () => transport.close() }, 'connection to compute')
  const { modelsMemoryBytes: memoryLimitBytes, executorSlots: slots } = config
  const leases = createClient(LeaseService, transport)
  const options = { leases, models, slots, memoryLimitBytes, clock, log }
  const leasedModels = runner.own(copiedModels({ ...options, mostBytes: MOST_COPIED_BYTES }), 'model copies')
  const live = { ...options, leasedModels, runner: onnxRunner({ ...config.onnx, log }) }
  const batchMemoryBytes = Math.floor(memoryLimitBytes / 4)
  const executors = {
    executor: createExecutor({ ...live, pool: 'live/onnx' }),
    batch: createExecutor({ ...live, ownProcesses: true, memoryLimitBytes: batchMemoryBytes, pool: 'live/batch' }),
  }
  for (const [name, executor] of Object.entries(executors)) runner.run(name, signal => executor.run(signal))
  return { addresses: {}, health: createHealth() }
})

/** Of copies of the account's own models that no run needs: they are in memory, as all files of a replica. */
const MOST_COPIED_BYTES = 64 * 2 ** 20

function config(set: ReturnType<typeof executorVariables>) {
  return {
    url: set.MILLHAND_JOIN_URL[0] ?? '',
    credential: set.MILLHAND_JOIN_CREDENTIAL.reveal(),
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    ...executorRoom(set),
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
