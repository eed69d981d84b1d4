export { javaMissing } from './java.ts'
export { type Kafka, startKafka } from './kafka.ts'
export { type Mongo, startMongo } from './mongo.ts'
export type { ServerProcess } from './server-process.ts'
