/** What the tests of this folder open: servers that close with the test, and tokens of one deployment. */
import type { TestContext } from 'node:test'
import { createClient, type ServiceImpl } from '@connectrpc/connect'
import { createHealth, manualClock, systemClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { ContractService } from '../contract-service.fixture.ts'
import type { Routes } from '../direct-transport.ts'
import type { Principal } from '../principal.ts'
import { createAdmission } from './admission.ts'
import { type NetworkServerOptions, serveNetwork } from './network-server.ts'
import { createNetworkTransport, type NetworkTransportOptions } from './network-transport.ts'
import { allOf, createTokenIssuer, type ServiceGrant } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

export const secret = Buffer.from('a secret of this deployment, for tests alone')
export const otherSecret = Buffer.from('the secret of another deployment, not of this one')

/** Whose tokens are good here, and who says for which account it calls. */
export const trusted = [createTokenIssuer(secret).publicKey]
export const signer = createPrincipalSigner(secret).publicKey

/** As the operator of this deployment mints it, or of another one. */
export const mintToken = (grant: ServiceGrant, by: Uint8Array = secret): string => createTokenIssuer(by).mint(grant)

/** May call the contract's service, and name accounts. */
export const token = mintToken({ service: 'test', methods: [allOf(ContractService)], signer })

export const caller: Principal = {
  accountId: 'acct_1',
  mode: 'test',
  tenant: 'acct_1/test',
  scopes: new Set(['tasks:read', 'tasks:write']),
  keyId: 'key_1',
  plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
}

export const noon = Date.parse('2026-11-21T12:00:00Z')

/** A clock that stands at noon. */
export const clockAtNoon = () => manualClock(noon)

/** A log that keeps its lines. */
export function listeningLog() {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: line => lines.push(line) })
  return { log, lines }
}

/** Serves on a free port of this machine. */
export async function openServer(
  services: (router: Routes) => void,
  options: Partial<Omit<NetworkServerOptions, 'services'>> = {},
) {
  const { log, lines } = listeningLog()
  const health = createHealth()
  const admission = createAdmission({ trusted, clock: systemClock, log })
  const address = { host: '127.0.0.1', port: 0 }
  const server = await serveNetwork({ address, services, admission, health, log, ...options })
  return { ...server, health, lines }
}

/** Serves an implementation of the contract's service for one test, with a client that is let in. */
export async function serveFor(
  test: TestContext,
  impl: Partial<ServiceImpl<typeof ContractService>>,
  options: Partial<Omit<NetworkServerOptions, 'services'>> & { client?: Partial<NetworkTransportOptions> } = {},
) {
  const { client: clientOptions, ...serverOptions } = options
  const server = await openServer(router => router.service(ContractService, impl), serverOptions)
  const connect = (more: Partial<NetworkTransportOptions> = {}) => {
    const transport = createNetworkTransport({ url: server.url, token, ...clientOptions, ...more })
    test.after(() => transport.close())
    return transport
  }
  test.after(() => server.close(0))
  const transport = connect()
  return { ...server, connect, transport, client: createClient(ContractService, transport) }
}
