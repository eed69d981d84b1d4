/** A program that the suite's runner starts: makes its calls with our transports, as they are or through a tunnel. */
import { create } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { type ClientTls, createNetworkTransport } from '@millhand/rpc/network'
import { createTunnelTransport } from '@millhand/rpc/tunnel'
import { readMessages, writeMessage } from './framing.ts'
import { type ClientRequest, openSuite, protocols } from './messages.ts'
import { perform } from './perform.ts'

const [, , image, way] = process.argv
const suite = openSuite(image as string)
const reached = new Map<string, Way>()

interface Way {
  readonly transport: Transport
  close(): Promise<void>
}

/** One connection to each server that is there, as a process of ours has. */
function wayTo(wanted: ClientRequest): Way {
  const tls = tlsOf(wanted)
  const url = `${tls ? 'https' : 'http'}://${wanted.host}:${wanted.port}`
  const known = reached.get(url)
  if (known) return known
  const made = way === 'tunnel' ? tunnelTo(url, tls) : networkTo(url, tls, protocols[wanted.protocol])
  reached.set(url, made)
  return made
}

function networkTo(url: string, tls: ClientTls | undefined, protocol: 'connect' | 'grpc' | 'grpc-web'): Way {
  const transport = createNetworkTransport({ url, protocol, pingTimeoutMs: PATIENT_MS, ...(tls && { tls }) })
  return { transport, close: async () => transport.close() }
}

/** What is judged is the protocol: a machine that is busy with other tests answers a ping late, and is not gone. */
const PATIENT_MS = 60_000

function tunnelTo(url: string, tls: ClientTls | undefined): Way {
  const replica = networkTo(url, tls, 'connect')
  const transport = createTunnelTransport({ replicas: [replica.transport] })
  const close = async () => {
    await transport.close()
    await replica.close()
  }
  return { transport, close }
}

function tlsOf({ serverTlsCert, clientTlsCreds }: ClientRequest): ClientTls | undefined {
  if (serverTlsCert.length === 0) return undefined
  const ca = Buffer.from(serverTlsCert).toString()
  if (clientTlsCreds === undefined) return { ca }
  return { ca, cert: Buffer.from(clientTlsCreds.cert).toString(), key: Buffer.from(clientTlsCreds.key).toString() }
}

async function answer(wanted: ClientRequest): Promise<void> {
  const { testName } = wanted
  const value = await perform(suite, wayTo(wanted).transport, wanted)
  const response = create(suite.clientResponse, { testName, result: { case: 'response', value } })
  writeMessage(suite.clientResponse, response)
}

/** More at once would wait for each other: the cases have deadlines, and look at the time that is left. */
const AT_ONCE = 16

const calls = new Set<Promise<void>>()
for await (const wanted of readMessages(suite.clientRequest)) {
  const call = answer(wanted)
  calls.add(call)
  void call.then(() => calls.delete(call))
  if (calls.size >= AT_ONCE) await Promise.race(calls)
}
await Promise.all(calls)
for (const { close } of reached.values()) await close()
