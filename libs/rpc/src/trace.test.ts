/** A call of a trace has a span on each side, the server's within the client's, over every transport. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  Code,
  ConnectError,
  createClient,
  createContextValues,
  type HandlerContext,
  type Transport,
} from '@connectrpc/connect'
import { systemClock as clock } from '@millhand/process'
import { recordTraces } from '@millhand/telemetry/recorded-traces'
import { ContractService } from './contract-service.fixture.ts'
import { createDirectTransport, type Routes } from './direct-transport.ts'
import { createAdmission } from './network/admission.ts'
import { listeningLog, openServer, secret, token, trusted } from './network/network.fixture.ts'
import { createNetworkTransport } from './network/network-transport.ts'
import { outgoingHeaders } from './network/outgoing-headers.ts'
import { createPrincipalSigner } from './network/signed-principal.ts'
import { serve } from './serve.ts'
import { traceKey, withClientSpans } from './trace.ts'
import { createTunnelTransport, tunnelRoutes } from './tunnel/index.ts'

const parent = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  isSampled: true,
  state: 'a=1',
}
const headers = outgoingHeaders(createPrincipalSigner(secret).sign)

/** What a handler saw. */
let seen: (HandlerContext['values'] | undefined)[] = []

const routes = (router: Routes) =>
  void router.service(ContractService, {
    echo(request, call) {
      seen.push(call.values)
      if (request.value === 'fail') throw new ConnectError('refused', Code.NotFound)
      if (request.value === 'break') throw new Error('broken')
      return request
    },
    async *countTo({ value }, call) {
      seen.push(call.values)
      for (let n = 1; n <= value; n++) yield { value: String(n) }
    },
  })

/** Opens a transport of each kind to a server of these routes. */
const transports: Readonly<Record<string, () => Promise<{ transport: Transport; close(): Promise<void> }>>> = {
  async direct() {
    const transport = createDirectTransport()
    serve(routes, transport)
    return { transport, close: async () => {} }
  },
  async tunnel() {
    const direct = createDirectTransport()
    serve(routes, direct)
    const { admit } = createAdmission({ trusted, clock, log: listeningLog().log })
    const tunnels = tunnelRoutes({ transport: direct, services: [ContractService], admit, ready: () => true })
    const server = await openServer(routes, { extra: [tunnels] })
    const replica = createNetworkTransport({ url: server.url, token })
    const tunnel = createTunnelTransport({ replicas: [replica], headers })
    const close = async () => {
      await tunnel.close()
      replica.close()
      await server.close(0)
    }
    return { transport: tunnel, close }
  },
  async 'HTTP/2'() {
    const server = await openServer(routes)
    const transport = createNetworkTransport({ url: server.url, token, headers })
    const close = async () => {
      transport.close()
      await server.close(0)
    }
    return { transport, close }
  },
}

for (const [name, open] of Object.entries(transports)) {
  describe(`traces over ${name}`, () => {
    let traces: ReturnType<typeof recordTraces>
    let opened: Awaited<ReturnType<typeof open>>
    beforeEach(async () => {
      seen = []
      traces = recordTraces()
      opened = await open()
    })
    afterEach(async () => {
      await opened.close()
      traces.off()
    })
    const client = () => createClient(ContractService, withClientSpans(opened.transport))
    const within = (trace: typeof parent) => ({ contextValues: createContextValues().set(traceKey, trace) })

    it('have the server’s span within the client’s, and the handler within that', async () => {
      const options = within(parent)
      await client().echo({ value: 'x' }, options)
      const [mine, theirs, ...more] = traces.spans
      assert.deepEqual(more, [])
      assert.deepEqual([mine?.kind, mine?.parent?.spanId], ['client', parent.spanId])
      assert.deepEqual([theirs?.kind, theirs?.parent?.spanId], ['server', mine?.context.spanId])
      assert.deepEqual(seen[0]?.get(traceKey), theirs?.context)
      assert.equal(theirs?.context.state, 'a=1')
      for (const span of traces.spans) {
        assert.ok(span.isEnded && span.error === undefined)
        assert.equal(span.attributes['rpc.method'], 'millhand.rpc.ContractService/Echo')
      }
      assert.equal(options.contextValues.get(traceKey), parent, 'the caller may call again')
    })

    it('name the error, which is the server’s only where it is at fault', async () => {
      await assert.rejects(client().echo({ value: 'fail' }, within(parent)))
      await assert.rejects(client().echo({ value: 'break' }, within(parent)))
      const told = traces.spans.map(({ kind, error, attributes }) => [
        kind,
        error,
        attributes['rpc.response.status_code'],
      ])
      assert.deepEqual(told, [
        ['client', 'not_found', 'not_found'],
        ['server', undefined, 'not_found'],
        ['client', 'internal', 'internal'],
        ['server', 'internal', 'internal'],
      ])
    })

    it('end the span of a stream with it, read to its end or not', async () => {
      const all = []
      for await (const { value } of client().countTo({ value: 3 }, within(parent))) all.push(value)
      assert.deepEqual(all, ['1', '2', '3'])
      const leaving = new AbortController()
      const read = async () => {
        const options = { ...within(parent), signal: leaving.signal }
        for await (const _ of client().countTo({ value: 1_000_000 }, options)) leaving.abort()
      }
      await assert.rejects(read())
      await until(() => traces.spans.length === 4 && traces.spans.every(({ isEnded }) => isEnded))
    })

    it('are not made where the trace is not sampled, whose context goes on, nor where there is none', async () => {
      await client().echo({ value: 'x' }, within({ ...parent, isSampled: false }))
      await client().echo({ value: 'x' })
      assert.deepEqual(traces.spans, [])
      assert.deepEqual(
        seen.map(values => values?.get(traceKey)),
        [{ ...parent, isSampled: false }, undefined],
      )
    })
  })
}

it('a transport is what it was where traces are off', () => {
  const transport = createDirectTransport()
  assert.equal(withClientSpans(transport), transport)
})

async function until(isSo: () => boolean): Promise<void> {
  const late = performance.now() + 300_000
  while (!isSo()) {
    assert.ok(performance.now() < late)
    await pause(5)
  }
}
