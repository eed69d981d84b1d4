/** A server for a file of tests that do nothing but call it: in a suite that starts many, several files have one after the other. */
import assert from 'node:assert/strict'
import { requests, type Served, type ServerOptions, startServer } from './server.ts'

export interface Visited extends Served {
  /** Has to be called last: what was done to it has not broken it. */
  leave(): Promise<void>
}

/** What `TEST_SHARED` holds as JSON: a server that runs already, on which each visit has an account of its own. */
type Shared = Pick<Served, 'url' | 'grpc' | 'identity' | 'metrics' | 'dataDir'>

/** Resolves once it is ready. `options` are for where it is one of its own; what is shared has the models of these tests. */
export async function visitServer(options: ServerOptions = {}): Promise<Visited> {
  const { TEST_SHARED: shared } = process.env
  if (shared !== undefined) return await visitShared(JSON.parse(shared))
  const server = await startServer(options)
  const leave = async () => assert.deepEqual(await server.stop(), { code: 0, signal: null })
  return { ...server, leave }
}

async function visitShared(shared: Shared): Promise<Visited> {
  // Loads a good part of the product.
  const { keyOf, newAccount } = await import('./operator.ts')
  const account = await newAccount(shared, 'a visitor')
  const [key, testKey] = [await keyOf(shared, account), await keyOf(shared, account, { mode: 'test' })]
  const request = requests(shared.url, key)
  const leave = async () => assert.equal((await request('GET', '/healthz')).status, 200)
  return { ...shared, key, testKey, request, leave }
}
