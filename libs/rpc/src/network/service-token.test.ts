import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCursors } from '@millhand/api'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { createCredentialsIssuer } from './credentials.ts'
import { caller, clockAtNoon, mintToken, noon, otherSecret, secret, signer, trusted } from './network.fixture.ts'
import { allows, createTokenIssuer, createTokenReader, ownGrant, type ServiceGrant } from './service-token.ts'
import { createSigner } from './signature.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const grant: ServiceGrant = {
  service: 'analytics',
  methods: ['/millhand.compute.v1.ComputeService/GetTask', '/millhand.lease.v1.LeaseService/*'],
  signer,
  expiresAt: noon,
}
const token = mintToken(grant)
const read = createTokenReader(trusted)

describe('service token', () => {
  it('says what its holder may do, to whoever trusts its issuer', () => {
    assert.match(token, /^mhs_[\w-]+\.[\w-]{86}$/)
    assert.deepEqual(createTokenReader(['A'.repeat(43), ...trusted])(token), grant)
    assert.equal(read(token), read(token))
  })

  it('says the same to its holder, who can’t check it', () => {
    assert.deepEqual(ownGrant(token), grant)
    assert.deepEqual(ownGrant(mintToken(grant, otherSecret)), grant)
    for (const text of ['', 'mhs_', 'mhs_x.y', principal, 'swordfish']) assert.equal(ownGrant(text), undefined)
  })

  const body = token.slice('mhs_'.length, token.indexOf('.'))
  const tag = token.slice(token.indexOf('.') + 1)
  const forgedBody = Buffer.from(JSON.stringify({ ...grant, methods: ['/a.B/*'] })).toString('base64url')
  const principal = createPrincipalSigner(secret, clockAtNoon()).sign(caller)
  const strangers: [string, string][] = [
    ['nothing', ''],
    ['its prefix alone', 'mhs_'],
    ['one without its prefix', token.slice('mhs_'.length)],
    ['one without a signature', `mhs_${body}`],
    ['one with an empty signature', `mhs_${body}.`],
    ['one cut short', token.slice(0, -1)],
    ['one with more behind it', `${token}A`],
    ['one whose last bits differ', `${token.slice(0, -1)}${token.endsWith('B') ? 'C' : 'B'}`],
    ['one padded as base64', `${token}=`],
    ['one that was given more', `mhs_${forgedBody}.${tag}`],
    ['one of another deployment', mintToken(grant, otherSecret)],
    ['a principal of ours', principal],
    ['a principal of ours with the prefix', `mhs_${principal}`],
    ['a cursor of ours', `mhs_${createCursors(secret).seal(grant, '')}`],
    ['a grant with the signature of a principal', `mhs_${createSigner(secret, 'principal').sign(grant)}`],
    ['a signed thing that is no grant', `mhs_${createSigner(secret, 'service token').sign({ service: 'x' })}`],
    ['a signed null', `mhs_${createSigner(secret, 'service token').sign(null)}`],
    ['one that is too long', mintLong()],
  ]
  for (const [what, stranger] of strangers) {
    it(`does not know ${what}`, () => assert.equal(read(stranger), undefined))
  }

  it('needs a secret that can’t be guessed', () => {
    assert.throws(() => createTokenIssuer(Buffer.alloc(31)), RangeError)
    assert.throws(() => createTokenReader([secret.toString()]), RangeError)
  })

  for (const method of [
    '',
    '*',
    '/*',
    '/*/*',
    '/millhand.*',
    '/a.B/C/D',
    'a.B/C',
    '/a.B/',
    '/B/C',
    '/a.B/C*',
    '/a.B/**',
  ]) {
    it(`can’t be minted for the method “${method}”`, () => {
      assert.throws(() => mintToken({ ...grant, methods: [method] }), /neither a method nor/)
    })
  }

  it('can’t be minted for nobody, for nothing, or for more than a header holds', () => {
    assert.throws(() => mintToken({ ...grant, service: '' }), RangeError)
    assert.throws(() => mintToken({ ...grant, methods: [] }), RangeError)
    const methods = Array.from({ length: 300 }, (_, at) => `/millhand.compute.v1.ComputeService/Method${at}`)
    assert.throws(() => mintToken({ ...grant, methods }), /too many methods/)
  })
})

describe('grant', () => {
  it('allows one method by name, and all of a service by a star', () => {
    assert.equal(allows(grant, ComputeService.method.getTask), true)
    assert.equal(allows(grant, ComputeService.method.waitTask), false)
    assert.equal(allows(grant, LeaseService.method.claim), true)
    assert.equal(allows(grant, LeaseService.method.finish), true)
    assert.equal(allows(grant, OwnerService.method.ring), false)
    assert.equal(allows({ ...grant, methods: ['/millhand.lease.v1.Lease/*'] }, LeaseService.method.claim), false)
  })

  it('of an issuer allows all methods of its services, and names a signer where it has a secret', () => {
    const { publicKey, issue } = createCredentialsIssuer(secret)
    for (const hasSecret of [true, false]) {
      const { token, secret: own } = issue('analytics', { calls: [LeaseService, UsageService], secret: hasSecret })
      assert.equal(own !== undefined, hasSecret)
      const read = createTokenReader([publicKey])(token) as ServiceGrant
      assert.equal(read.service, 'analytics')
      assert.equal(read.signer, own && createPrincipalSigner(Buffer.from(own)).publicKey)
      const may = [ComputeService, LeaseService, OwnerService, UsageService].filter(({ methods }) =>
        methods.every(method => allows(read, method)),
      )
      assert.deepEqual(may, [LeaseService, UsageService])
    }
  })
})

/** Well signed, and longer than any that is minted. */
function mintLong(): string {
  const methods = Array.from({ length: 300 }, () => '/millhand.compute.v1.ComputeService/GetTask')
  return `mhs_${createSigner(secret, 'service token').sign({ ...grant, methods })}`
}
