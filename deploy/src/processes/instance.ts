/** Instance: containers of users, on MongoDB. Any number of replicas; one of them starts and ends containers. */
import { createCursors } from '@millhand/api'
import { createInstanceService } from '@millhand/instance'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { executorImageOf, instanceDriverOf, instanceDrivers } from '../instance-drivers.ts'
import { instanceVariables as driverVariables } from '../instance-variables.ts'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { pick, variables } from '../variables.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const instanceVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...urlVariablesOf('instance'),
    ...pick('MILLHAND_RETENTION_DAYS', 'MILLHAND_PLANS_FILE'),
    ...driverVariables,
  },
  Object.keys(variables),
)

export const instance = defineProcess(instanceVariables, config, async (config, runner, log) => {
  const health = createHealth()
  const plans = loadPlans(config.plansFile, log)
  const { caller } = config
  const { identity } = connectServices('instance', config.addresses, { caller, runner, log, health })
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const owned = replicatedProcess('instance', { config, db, health, runner, log })
  const service = createInstanceService({
    ...{ db, plans, clock, log },
    drivers: await instanceDrivers(config.driver, { clock, runner }),
    cursors: createCursors(config.cursorKey),
    sealingKey: config.sealingKey,
    replicas: owned.replicas(),
    retentionMs: config.retentionMs,
    executors: config.executors,
  })
  return await owned.start({
    identity,
    routes: service.routes,
    async work(owning) {
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
  })
})

function config(set: ReturnType<typeof instanceVariables>) {
  const caller = ownCredentialsOf('instance', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    addresses: addressesOf('instance', set, caller.tls),
    plansFile: set.MILLHAND_PLANS_FILE,
    driver: instanceDriverOf(set),
    executors: executorImageOf(set),
    cursorKey: deriveSecret(secret, 'cursors'),
    sealingKey: deriveSecret(secret, 'instance secrets'),
  }
}
