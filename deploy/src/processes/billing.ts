/** Billing: what accounts use, from the events in Kafka, on MongoDB. Any number of replicas; they share the topics. */
import { createBillingService } from '@millhand/billing'
import { openKafka } from '@millhand/eventlog/kafka'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { reportFailures } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { billingTimes } from '../config-parts.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { probeHealth } from './health-probe.ts'
import { calledVariables, tlsOf } from './own-credentials.ts'
import { serveGrpc } from './serve-grpc.ts'

const billingVariables = configuration(
  {
    ...calledVariables,
    ...kafkaVariables,
    ...pick(
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_MONGO_URL',
      'MILLHAND_PLANS_FILE',
      'MILLHAND_USAGE_ENTRY_DAYS',
      'MILLHAND_BILLING_GRACE_HOURS',
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const billing = defineProcess(billingVariables, config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  const health = createHealth()
  health.set('store', false, 'not connected')
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'billing', log }), 'event log')
  const service = createBillingService({ db, events, plans, clock, log, ...config.times })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  const grpc = await serveGrpc({
    ...config,
    transport,
    routes: service.routes,
    health,
    runner,
    log,
  })
  runner.run('billing', async signal => {
    await db.prepare(signal)
    // It has no events of its own; the relay takes away what removed entries leave behind.
    await Promise.all([service.run(signal), db.relay({ publish: async () => {} }, signal)])
  })
  runner.run('store', signal => probeHealth('store', health, asking => db.ping(asking), signal))
  return { addresses: { grpc }, health }
})

function config(set: ReturnType<typeof billingVariables>) {
  return {
    trusted: set.MILLHAND_TRUSTED_KEYS,
    tls: tlsOf(set),
    grpc: set.MILLHAND_GRPC_ADDR,
    mongoUrl: set.MILLHAND_MONGO_URL,
    kafka: kafkaOf(set),
    plansFile: set.MILLHAND_PLANS_FILE,
    times: billingTimes(set),
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
