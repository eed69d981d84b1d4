/** Billing: ledgers and invoices on MongoDB, events from Kafka. Any number of replicas; one of them posts and closes months. */

import { createCursors } from '@millhand/api'
import { createBillingService } from '@millhand/billing'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { ledgerTimes, sellerOf } from '../config-parts.ts'
import { openProcessor, paymentSettingsOf } from '../payment-processor.ts'
import { paymentVariables } from '../payment-variables.ts'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { pick, variables } from '../variables.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const billingVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...urlVariablesOf('billing'),
    ...pick(
      'MILLHAND_PLANS_FILE',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_USAGE_ENTRY_DAYS',
      'MILLHAND_BILLING_GRACE_HOURS',
      'MILLHAND_SELLER_NAME',
      'MILLHAND_SELLER_ADDRESS',
      'MILLHAND_SELLER_TAX_ID',
    ),
    ...paymentVariables,
  },
  Object.keys(variables),
)

export const billing = defineProcess(billingVariables, config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  const health = createHealth()
  const { caller } = config
  const { identity } = connectServices('billing', config.addresses, { caller, runner, log, health })
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const owned = replicatedProcess('billing', { config, db, health, runner, log })
  const service = createBillingService({
    ...{ db, events: owned.events, plans, clock, log },
    cursors: createCursors(config.cursorKey),
    ...config.times,
    seller: config.seller,
    processor: await openProcessor(config.payment, clock),
  })
  return await owned.start({
    identity,
    routes: service.routes,
    async work(owning) {
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
    async prepare(signal) {
      await db.prepare(signal)
      await service.checkPrices()
    },
  })
})

function config(set: ReturnType<typeof billingVariables>) {
  const caller = ownCredentialsOf('billing', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    addresses: addressesOf('billing', set, caller.tls),
    cursorKey: deriveSecret(secret, 'cursors'),
    plansFile: set.MILLHAND_PLANS_FILE,
    times: ledgerTimes(set),
    seller: sellerOf(set),
    payment: paymentSettingsOf(set),
  }
}
