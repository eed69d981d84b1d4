export { breakOff } from './break-off.ts'
export { type Authority, type Certificate, createAuthority, opensslMissing } from './certificates.ts'
export { busyboxRoot, type Docker, dockerMissing, startDocker } from './docker.ts'
export { goMissing, goModule, goTool } from './go-tool.ts'
export { javaMissing } from './java.ts'
export { type Kafka, startKafka } from './kafka.ts'
export { type Kubernetes, kubernetesMissing, startKubernetes } from './kubernetes.ts'
export { missing, printed } from './missing.ts'
export { type Mongo, mongoMissing, startMongo } from './mongo.ts'
export { type OtlpReceiver, startOtlpReceiver } from './otlp/otlp-receiver.ts'
export type { ReceivedRecord, ReceivedSpan } from './otlp/received.ts'
export { freePort } from './ports.ts'
export { type Prometheus, prometheusMissing, startPrometheus } from './prometheus.ts'
export { registryMissing, registryUser, startRegistry } from './registry.ts'
export type { ServerProcess } from './server-process.ts'
export { startStripeMock } from './stripe-mock.ts'
export {
  chromium,
  chromiumMissing,
  composeMissing,
  curlMissing,
  python,
  pythonMissing,
  pythonPath,
} from './tools.ts'
export { startWiredTiger, wiredTigerMissing } from './wiredtiger.ts'
