/** A program that the suite's runner starts: our server, with the suite's service as it is and in tunnels. */
import { once } from 'node:events'
import { create } from '@bufbuild/protobuf'
import { createContextValues } from '@connectrpc/connect'
import { createHealth } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { type Admission, type ExtraRoutes, type ServerTls, serveNetwork } from '@millhand/rpc/network'
import { tunnelRoutes } from '@millhand/rpc/tunnel'
import { createLog } from '@millhand/telemetry'
import { readMessages, writeMessage } from './framing.ts'
import { openSuite, type ServerRequest } from './messages.ts'
import { conformanceRoutes } from './service.ts'

const suite = openSuite(process.argv[2] as string)
const routes = conformanceRoutes(suite)

/** The suite's client has no token of ours. */
const everyone: Admission = { admit: () => createContextValues(), gate: () => {}, isKnown: async () => true }

for await (const request of readMessages(suite.serverRequest)) {
  const tls = tlsOf(request)
  const server = await serveNetwork({
    address: { host: '127.0.0.1', port: 0 },
    services: () => {},
    extra: [asItIs(request.messageReceiveLimit), inTunnels()],
    admission: everyone,
    health: createHealth(),
    log: createLog({ level: 'error', write: () => {} }), // Of failures that its callers want.
    ...(tls && { tls }),
  })
  const { hostname: host, port } = new URL(server.url)
  const pemCert = Buffer.from(tls?.cert ?? '')
  writeMessage(suite.serverResponse, create(suite.serverResponse, { host, port: Number(port), pemCert }))
  await once(process, 'SIGTERM')
  await server.close(0)
}

function asItIs(readMaxBytes: number): ExtraRoutes {
  // The suite's answers hold messages in an Any, which JSON has by their fields: ours have none.
  const options = { readMaxBytes, jsonOptions: { registry: suite.registry } }
  return { routes: router => serve(routes, { service: (desc, impl) => router.service(desc, impl, options) }) }
}

function inTunnels(): ExtraRoutes {
  const transport = createDirectTransport()
  serve(routes, transport)
  return tunnelRoutes({ transport, services: [suite.service], admit: everyone.admit })
}

function tlsOf({ useTls, serverCreds, clientTlsCert }: ServerRequest): ServerTls | undefined {
  if (!useTls || serverCreds === undefined) return undefined
  const tls = { cert: Buffer.from(serverCreds.cert).toString(), key: Buffer.from(serverCreds.key).toString() }
  return clientTlsCert.length === 0 ? tls : { ...tls, ca: Buffer.from(clientTlsCert).toString() }
}
