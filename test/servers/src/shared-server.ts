/** A server that another process has started, and ends: for suites that only use it. */
import type { ServerProcess } from './server-process.ts'

/** `name` is the variable that says where it is; undefined where that is not set. */
export function sharedServer(name: 'TEST_SHARED_MONGO' | 'TEST_SHARED_KAFKA'): ServerProcess | undefined {
  const address = process.env[name]
  if (address === undefined) return undefined
  const refuse = () => {
    throw new Error(`the server of ${name} is shared: a suite that stops it starts one of its own`)
  }
  return {
    address,
    pid: 0,
    start: refuse,
    stop: refuse,
    kill: refuse,
    pause: refuse,
    resume: refuse,
    log: () => '',
    [Symbol.asyncDispose]: async () => {},
  }
}
