export { type BackoffOptions, backoff } from './backoff.ts'
export { type Clock, type ManualClock, manualClock, systemClock, type Timer } from './clock.ts'
export {
  type Configuration,
  ConfigurationError,
  configuration,
  type Described,
  type Schema,
  type Values,
} from './configuration.ts'
export { type Check, createHealth, type Health } from './health.ts'
export { everyInterval } from './interval.ts'
export { KeyedBatcher } from './keyed-batcher.ts'
export { KeyedMutex } from './keyed-mutex.ts'
export { type RetryOptions, retry } from './retry.ts'
export { type Closable, createRunner, type Runner, type RunnerOptions } from './runner.ts'
export {
  type Address,
  address,
  boolean,
  duration,
  integer,
  list,
  oneOf,
  optional,
  path,
  type Secret,
  type Setting,
  secret,
  text,
  urls,
} from './setting.ts'
export { endProcess } from './signals.ts'
export { createWakeUp, type WakeUp } from './wake-up.ts'
