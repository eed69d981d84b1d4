/** Tunnels on a network server: each call in them is admitted as one on its own is. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Code, createClient, createContextValues, type ServiceImpl } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { systemClock } from '@millhand/process'
import { ContractService } from '../contract-service.fixture.ts'
import { createDirectTransport } from '../direct-transport.ts'
import { operationKey } from '../operation.ts'
import { principalKey, requestIdKey } from '../principal.ts'
import { rejection } from '../serving.contract.ts'
import { createTunnelTransport, tunnelRoutes } from '../tunnel/index.ts'
import { createAdmission } from './admission.ts'
import {
  caller,
  listeningLog,
  mintToken,
  openServer,
  otherSecret,
  secret,
  signer,
  token,
  trusted,
} from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { outgoingHeaders } from './outgoing-headers.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const requestId = 'req_01jd7x8f2wfyqs3m6k9v0t4b5c'
const operation = '01jd7x8f2wfyqs3m6k9v0t4b5d'
const values = createContextValues().set(principalKey, caller).set(requestIdKey, requestId)
const asCaller = { contextValues: values.set(operationKey, operation) }
const grant = { service: 'test', methods: ['/millhand.rpc.ContractService/Echo'], signer }

describe('a tunnel', () => {
  it('passes the caller, the request id and the operation of each call', async test => {
    const seen: unknown[] = []
    const { client } = await open(test, {
      echo(request, { values }) {
        seen.push(values.get(principalKey), values.get(requestIdKey), values.get(operationKey))
        return request
      },
    })
    await client.echo({}, asCaller)
    await client.echo({})
    assert.deepEqual(seen, [caller, requestId, operation, undefined, undefined, undefined])
  })

  it('is not opened without a good token', async test => {
    for (const bad of [undefined, mintToken(grant, otherSecret)]) {
      const { client, handled } = await open(test, {}, { token: bad })
      const error = await rejection(client.echo({}, { timeoutMs: 500 }))
      assert.notEqual(error.code, Code.Unimplemented)
      assert.equal(handled(), 0)
    }
  })

  it('lets through what its token grants, and nothing else', async test => {
    const { client, handled, lines } = await open(test, {}, { token: mintToken(grant) })
    await client.echo({}, asCaller)
    const error = await rejection(client.forgotten({}))
    assert.equal(error.code, Code.PermissionDenied)
    assert.equal(lines.filter(line => line.includes('rpc.refused') && line.includes('Forgotten')).length, 1)
    assert.equal(codeOf(error), 'internal')
    const { client: nameless } = await open(
      test,
      {},
      { token: mintToken({ service: grant.service, methods: grant.methods }) },
    )
    await nameless.echo({})
    assert.equal((await rejection(nameless.echo({}, asCaller))).code, Code.PermissionDenied)
    assert.equal(handled(), 1)
  })

  it('refuses a principal that another deployment signed', async test => {
    const { client, handled } = await open(test, {}, { signedWith: otherSecret })
    assert.equal((await rejection(client.echo({}, asCaller))).code, Code.Unauthenticated)
    assert.equal(handled(), 0)
  })

  it('does not hold its server up when that drains', async test => {
    const { client, server } = await open(test, {})
    await client.echo({})
    await server.close(60_000)
  })
})

async function open(
  test: TestContext,
  impl: Partial<ServiceImpl<typeof ContractService>>,
  options: { token?: string | undefined; signedWith?: Uint8Array } = { token },
) {
  let handled = 0
  const counting = { echo: () => ({ value: String(++handled) }), forgotten: () => ({ value: String(++handled) }) }
  const direct = createDirectTransport().service(ContractService, { ...counting, ...impl })
  const { log, lines } = listeningLog()
  const admission = createAdmission({ trusted, clock: systemClock, log })
  const tunnels = tunnelRoutes({ transport: direct, services: [ContractService], admit: admission.admit })
  const server = await openServer(() => {}, { admission, extra: [tunnels] })
  const { token: shown = options.signedWith === undefined ? undefined : token } = options
  const replica = createNetworkTransport({ url: server.url, ...(shown === undefined ? {} : { token: shown }) })
  const transport = createTunnelTransport({
    replicas: [replica],
    headers: outgoingHeaders(createPrincipalSigner(options.signedWith ?? secret).sign),
  })
  test.after(async () => {
    await transport.close()
    replica.close()
    await server.close(0)
  })
  return { client: createClient(ContractService, transport), handled: () => handled, server, lines }
}
