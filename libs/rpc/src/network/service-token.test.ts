import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { grants } from './grants.ts'
import { caller, clockAtNoon, otherSecret, secret } from './network.fixture.ts'
import { createSeal } from './seal.ts'
import { allows, createTokenReader, mintServiceToken, type ServiceGrant } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const grant: ServiceGrant = {
  service: 'analytics',
  methods: ['/millhand.compute.v1.ComputeService/GetTask', '/millhand.lease.v1.LeaseService/*'],
  accounts: true,
}
const token = mintServiceToken(secret, grant)
const read = createTokenReader(secret)

describe('service token', () => {
  it('says what its holder may do, to whoever has the secret', () => {
    assert.match(token, /^mhs_[\w-]+\.[\w-]{43}$/)
    assert.deepEqual(createTokenReader(Buffer.from(secret))(token), grant)
    assert.equal(read(token), read(token))
  })

  const body = token.slice('mhs_'.length, token.indexOf('.'))
  const tag = token.slice(token.indexOf('.') + 1)
  const forgedBody = Buffer.from(JSON.stringify({ ...grant, methods: ['/a.B/*'] })).toString('base64url')
  const principal = createPrincipalSigner(secret, clockAtNoon())(caller)
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
    ['one of another deployment', mintServiceToken(otherSecret, grant)],
    ['a principal of ours', principal],
    ['a principal of ours with the prefix', `mhs_${principal}`],
    ['a cursor of ours', `mhs_${createCursors(secret).seal(grant, '')}`],
    ['a grant with the signature of a principal', `mhs_${createSeal(secret, 'principal').seal(grant)}`],
    ['a signed thing that is no grant', `mhs_${createSeal(secret, 'service token').seal({ service: 'x' })}`],
    ['a signed null', `mhs_${createSeal(secret, 'service token').seal(null)}`],
    ['one that is too long', mintLong()],
  ]
  for (const [what, stranger] of strangers) {
    it(`does not know ${what}`, () => assert.equal(read(stranger), undefined))
  }

  it('needs a secret that can’t be guessed', () => {
    assert.throws(() => mintServiceToken(Buffer.alloc(31), grant), RangeError)
    assert.throws(() => createTokenReader(Buffer.alloc(31)), RangeError)
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
      assert.throws(() => mintServiceToken(secret, { ...grant, methods: [method] }), /neither a method nor/)
    })
  }

  it('can’t be minted for nobody, for nothing, or for more than a header holds', () => {
    assert.throws(() => mintServiceToken(secret, { ...grant, service: '' }), RangeError)
    assert.throws(() => mintServiceToken(secret, { ...grant, methods: [] }), RangeError)
    const methods = Array.from({ length: 300 }, (_, at) => `/millhand.compute.v1.ComputeService/Method${at}`)
    assert.throws(() => mintServiceToken(secret, { ...grant, methods }), /too many methods/)
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

  it('of our own processes is what each needs', () => {
    const services = [ComputeService, IdentityService, LeaseService, OwnerService]
    const table = Object.entries(grants).map(([name, own]) => {
      const token = mintServiceToken(secret, own)
      const read = createTokenReader(secret)(token) as ServiceGrant
      const may = services.filter(({ methods }) => methods.every(method => allows(read, method)))
      return [name, read.accounts, may.map(({ name }) => name)]
    })
    assert.deepEqual(table, [
      ['gateway', true, ['ComputeService', 'IdentityService']],
      ['executor', false, ['LeaseService']],
      ['compute', true, ['ComputeService', 'LeaseService', 'OwnerService']],
    ])
  })
})

/** Well signed, and longer than any that is minted. */
function mintLong(): string {
  const methods = Array.from({ length: 300 }, () => '/millhand.compute.v1.ComputeService/GetTask')
  return `mhs_${createSeal(secret, 'service token').seal({ ...grant, methods })}`
}
