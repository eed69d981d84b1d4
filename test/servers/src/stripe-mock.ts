/** Stripe's mock server: it checks each request by Stripe's OpenAPI file, answers with examples, and keeps no state. */
import { goTool } from './go-tool.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

const VERSION = 'v0.203.0'

/** Needs Go: see `goMissing`. The first time it is built, which takes up to a minute. */
export async function startStripeMock(): Promise<ServerProcess & { readonly url: URL }> {
  const binary = await goTool('github.com/stripe/stripe-mock', VERSION)
  const address = `127.0.0.1:${await freePort()}`
  const words = () => [binary, '-http-addr', address, '-https-addr', '127.0.0.1:0']
  return { ...(await startProcess(address, words, /Listening for HTTP at/)), url: new URL(`http://${address}`) }
}
