/** REST calls that are sent again where no service could answer: a call between processes may lose its answer where the machine is busy. */
import { randomUUID } from 'node:crypto'
import { requests, type Served } from '@millhand/test-e2e/server'
import { answered } from '@millhand/test-e2e/tasks'
import type { System } from './system.ts'

/** With the live key, to the first gateway. A POST has an idempotency key, so that it is done once. */
export function retryingRequests({ urls, key }: Pick<System, 'urls' | 'key'>): Served['request'] {
  const once = requests(urls()[0] as string, key)
  return (method, path, { headers, ...options } = {}) => {
    const keyed = { ...headers, ...(method === 'POST' && { 'idempotency-key': randomUUID() }) }
    return answered(() => once(method, path, { ...options, headers: keyed }), [503, 504])
  }
}
