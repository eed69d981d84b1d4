/**
 * What a call costs from one process to another: `node libs/rpc/src/tunnel/tunnel.bench.ts [calls in flight] [seconds]`.
 * Plain Connect and the tunnel, over HTTP/2, take turns against the same server process. Each call has a deadline and
 * the two header lines that a service's caller sends.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { argv, cpuUsage, stdout } from 'node:process'
import { createClient, createContextValues, type Transport } from '@connectrpc/connect'
import { connectNodeAdapter, createConnectTransport } from '@connectrpc/connect-node'
import { ContractService } from '../contract-service.fixture.ts'
import { createDirectTransport, type Routes } from '../direct-transport.ts'
import { tunnelRoutes } from './tunnel-routes.ts'
import { createTunnelTransport } from './tunnel-transport.ts'

const lines = [
  ['x-principal', 'p'.repeat(220)],
  ['x-request-id', 'req_01jd8xk2v4e5r6t7y8u9i0p1a2'],
] as const
const value = 'a task of ordinary size '.repeat(8)

async function serve(): Promise<void> {
  const services = (router: Routes) => router.service(ContractService, { echo: request => request })
  const transport = createDirectTransport()
  services(transport)
  const tunnels = tunnelRoutes({ transport, services: [ContractService], admit: () => createContextValues() })
  const routes = (router: Routes) => {
    services(router)
    tunnels.routes(router)
  }
  const server = createServer(connectNodeAdapter({ routes, acceptCompression: [] }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.on('message', () => process.send?.(cpuUsage()))
  process.on('disconnect', () => process.exit())
  process.send?.((server.address() as AddressInfo).port)
}

async function measure(inFlight: number, seconds: number): Promise<void> {
  const server = fork(import.meta.filename, ['server'])
  const [port] = await once(server, 'message')
  const connect = createConnectTransport({
    baseUrl: `http://127.0.0.1:${port}`,
    httpVersion: '2',
    acceptCompression: [],
  })
  const tunnel = createTunnelTransport({ replicas: [connect], headers: () => lines })
  for (let round = 0; round < 2; round++) {
    for (const [name, transport, headers] of [
      ['connect', connect, new Headers(lines as never)],
      ['tunnel', tunnel, undefined],
    ] as const) {
      await load(transport, headers, inFlight, 0.5)
      const before = { own: cpuUsage(), server: await cpuOf(server), at: performance.now() }
      const calls = await load(transport, headers, inFlight, seconds)
      const own = total(cpuUsage(before.own)) / calls
      const theirs = (total(await cpuOf(server)) - total(before.server)) / calls
      const rate = (calls / (performance.now() - before.at)) * 1000
      stdout.write(`${name}\t${rate.toFixed(0)} calls/s\tclient ${own.toFixed(1)} µs\tserver ${theirs.toFixed(1)} µs\n`)
    }
  }
  await tunnel.close()
  server.disconnect()
  process.exit()
}

/** Calls for so long; answers with how often. */
async function load(transport: Transport, headers: Headers | undefined, inFlight: number, seconds: number) {
  const client = createClient(ContractService, transport)
  const end = performance.now() + seconds * 1000
  let calls = 0
  const caller = async () => {
    while (performance.now() < end) {
      await client.echo({ value }, { timeoutMs: 10_000, ...(headers && { headers }) })
      calls++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  return calls
}

async function cpuOf(server: ChildProcess): Promise<NodeJS.CpuUsage> {
  server.send('cpu')
  const [usage] = await once(server, 'message')
  return usage
}

const total = ({ user, system }: NodeJS.CpuUsage) => user + system

if (argv[2] === 'server') await serve()
else await measure(Number(argv[2] ?? 64), Number(argv[3] ?? 3))
