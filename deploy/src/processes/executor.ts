/** An executor: runs the models of compute's tasks, the workforce's work, and the sandbox. Any number; each holds leases and nothing else. */
import { createClient } from '@connectrpc/connect'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { openKafka } from '@millhand/eventlog/kafka'
import { chooseSandbox, type ModelRunner } from '@millhand/executor'
import { onnxRunner } from '@millhand/executor/onnx'
import { loadCatalogue } from '@millhand/model'
import { systemClock as clock, configuration, createHealth, type Runner } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import { executorRoom, executorRoomVariables, modelFolders } from '../config-parts.ts'
import { enginesOf, engineVariables } from '../engines.ts'
import { createExecutors } from '../executors.ts'
import { requireFolder } from '../folders.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess, type Process, type Started } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { dispatchTopic } from '../services.ts'
import { metricsVariables, pick, variables } from '../variables.ts'
import { callingVariables, ownCredentialsOf } from './own-credentials.ts'
import { serveGrpc } from './serve-grpc.ts'
import { addressesOf, connectServices } from './service-clients.ts'
import { watchTokenExpiry } from './token-expiry.ts'

const executorVariables = configuration(
  {
    ...callingVariables,
    ...kafkaVariables,
    ...pick('MILLHAND_GRPC_ADDR'),
    ...metricsVariables,
    ...urlVariablesOf('executor'),
    ...pick(
      'MILLHAND_MODELS_DIR',
      ...executorRoomVariables,
      'MILLHAND_TEXT_SLOTS',
      ...engineVariables,
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const executor = executorWith((config, log) => onnxRunner({ ...config.onnx, log }))

/** An executor that runs models in another way. */
export function executorWith(makeRunner: (config: ReturnType<typeof readConfig>, log: Log) => ModelRunner): Process {
  return defineProcess(executorVariables, readConfig, (config, runner, log) =>
    start(config, makeRunner(config, log), runner, log),
  )
}

async function start(
  config: ReturnType<typeof readConfig>,
  modelRunner: ModelRunner,
  runner: Runner,
  log: Log,
): Promise<Started> {
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const models = await loadCatalogue(config.modelFolders)
  for (const model of models.list())
    if (model.status === 'broken') log.warn('model.broken', { model: model.id, problem: model.problem })
  const health = createHealth()
  runner.run('token', signal => watchTokenExpiry(config.caller.expiresAt, { clock, log, health }, signal))
  const { caller } = config
  const { compute, workforce } = connectServices('executor', config.addresses, { caller, runner, log, health })
  await chooseSandbox(config.sandbox, log)
  const executors = await createExecutors({
    leases: createClient(LeaseService, compute),
    workforceLeases: createClient(LeaseService, workforce),
    engines: config.engines,
    own: runner.own,
    runner: modelRunner,
    models,
    slots: config.executorSlots,
    textSlots: config.textSlots,
    providers: config.providers,
    onnx: config.onnx,
    memoryLimitBytes: config.modelsMemoryBytes,
    clock,
    log,
  })
  for (const [name, executor] of executors) runner.run(name, signal => executor.run(signal))
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'executor', log }), 'event log')
  runner.run('doorbell', async signal => {
    for await (const _ of events.tail([dispatchTopic], 'end', signal, () => true)) {
      for (const executor of executors.values()) executor.ring()
    }
  })
  const grpc = await serveGrpc({
    grpc: config.grpc,
    trusted: [], // Nobody may call anything but its health.
    tls: config.caller.tls,
    transport: createDirectTransport(),
    routes: () => {},
    health,
    runner,
    log,
  })
  return { addresses: { grpc }, health }
}

function readConfig(set: ReturnType<typeof executorVariables>) {
  const caller = ownCredentialsOf('executor', set)
  return {
    caller,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    addresses: addressesOf('executor', set, caller.tls),
    kafka: kafkaOf(set),
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    ...executorRoom(set),
    engines: enginesOf(set),
    textSlots: set.MILLHAND_TEXT_SLOTS,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
