import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { Code, createClient } from '@connectrpc/connect'
import { type Authority, type Certificate, createAuthority, opensslMissing } from '@millhand/test-servers'
import { ContractService } from '../contract-service.fixture.ts'
import { rejection } from '../serving.contract.ts'
import { serveFor, token } from './network.fixture.ts'

describe('TLS', { skip: opensslMissing }, () => {
  let ours: Authority
  let theirs: Authority
  let server: Certificate
  before(() => {
    ours = createAuthority('ours')
    theirs = createAuthority('theirs')
    server = ours.issue()
  })
  const impl = { echo: (request: { value: string }) => request }

  it('is spoken where the server has a certificate', async test => {
    const { url, client } = await serveFor(test, impl, { tls: server, client: { tls: { ca: ours.ca } } })
    assert.match(url, /^https:/)
    assert.equal((await client.echo({ value: 'word' })).value, 'word')
  })

  it('is not spoken with a server that nobody vouches for', async test => {
    const { connect } = await serveFor(test, impl, { tls: server })
    for (const tls of [{}, { ca: theirs.ca }]) {
      const client = createClient(ContractService, connect({ tls }))
      assert.equal((await rejection(client.echo({}))).code, Code.Unavailable)
    }
  })

  describe('with certificates of clients', () => {
    it('lets in who has one of ours, and still wants a token', async test => {
      const tls = { ca: ours.ca, ...ours.issue() }
      const { connect } = await serveFor(test, impl, { tls: { ...server, ca: ours.ca }, client: { tls } })
      const client = createClient(ContractService, connect())
      assert.equal((await client.echo({ value: 'word' })).value, 'word')
      const stranger = createClient(ContractService, connect({ token: 'mhs_x.y' }))
      assert.equal((await rejection(stranger.echo({}))).code, Code.Unauthenticated)
    })

    it('lets in nobody without one, or with one of another authority', async test => {
      let handled = 0
      const echo = () => ({ value: String(++handled) })
      const { connect, lines } = await serveFor(test, { echo }, { tls: { ...server, ca: ours.ca } })
      for (const own of [{}, theirs.issue()]) {
        const client = createClient(ContractService, connect({ tls: { ca: ours.ca, ...own } }))
        assert.equal((await rejection(client.echo({}))).code, Code.Unavailable)
      }
      assert.equal(handled, 0)
      assert.equal(lines.filter(line => line.includes('rpc.handshake_failed')).length, 2)
      assert.ok(!lines.join('').includes(token))
    })
  })

  it('is not spoken below version 1.2, nor HTTP/1.1 over it', async test => {
    const { url } = await serveFor(test, impl, { tls: server })
    const { hostname, port } = new URL(url)
    const to = { host: hostname, port: Number(port), ca: ours.ca }
    const old = connect({ ...to, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })
    await assert.rejects(once(old, 'secureConnect'))
    const http1 = connect({ ...to, ALPNProtocols: ['http/1.1'] })
    await assert.rejects(once(http1, 'secureConnect'))
  })
})
