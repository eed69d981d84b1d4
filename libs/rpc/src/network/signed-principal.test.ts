import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors } from '@millhand/api'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import { manualClock } from '@millhand/process'
import { operationKey, waitMsKey } from '../operation.ts'
import { principalKey, requestIdKey } from '../principal.ts'
import { caller, clockAtNoon, noon, otherSecret, secret, signer, token } from './network.fixture.ts'
import { outgoingHeaders } from './outgoing-headers.ts'
import { createSigner } from './signature.ts'
import { createPrincipalReader, createPrincipalSigner } from './signed-principal.ts'

const LIFE_MS = 60_000

describe('signed principal', () => {
  it('arrives as it was sent', () => {
    const header = createPrincipalSigner(secret, clockAtNoon()).sign(caller)
    assert.deepEqual(createPrincipalReader(signer, clockAtNoon())(header), caller)
  })

  it('is signed once in 30 s, also where it was looked up anew', async () => {
    const clock = clockAtNoon()
    const { sign } = createPrincipalSigner(secret, clock)
    const first = sign(caller)
    await clock.advance(29_999)
    assert.equal(sign(caller), first)
    assert.equal(sign({ ...caller }), first)
    assert.notEqual(sign({ ...caller, scopes: new Set(['*']) }), first)
    await clock.advance(1)
    assert.notEqual(sign(caller), first)
  })

  it('is signed anew by a clock that was set back', () => {
    let now = noon
    const { sign } = createPrincipalSigner(secret, { now: () => now })
    const first = sign(caller)
    now -= 1
    assert.notEqual(sign(caller), first)
  })

  it('is read once: the same text gives the same object', () => {
    const read = createPrincipalReader(signer, clockAtNoon())
    const header = createPrincipalSigner(secret, clockAtNoon()).sign(caller)
    assert.equal(read(`${header}`), read(Buffer.from(header).toString()))
  })

  it('lives 60 s, also where it was read before', async () => {
    const clock = clockAtNoon()
    const header = createPrincipalSigner(secret, clock).sign(caller)
    const read = createPrincipalReader(signer, clock)
    await clock.advance(LIFE_MS - 1)
    assert.equal(read(header).accountId, caller.accountId)
    await clock.advance(1)
    assert.equal(
      refused(() => read(header)),
      'unavailable',
    )
    assert.equal(
      refused(() => createPrincipalReader(signer, clock)(header)),
      'unavailable',
    )
  })

  it('may come from a clock that is a minute ahead, no more', () => {
    const signedAt = (ms: number) => createPrincipalSigner(secret, manualClock(ms)).sign(caller)
    const read = createPrincipalReader(signer, clockAtNoon())
    assert.ok(read(signedAt(noon + 60_000)))
    assert.equal(
      refused(() => read(signedAt(noon + 60_001))),
      'unavailable',
    )
  })

  it('is told for what it is where clocks differ: something that passes', () => {
    const read = createPrincipalReader(signer, clockAtNoon())
    for (const [ms, said] of [
      [-90_000, /clocks .* differ: .* 90 s ago/],
      [90_000, /clocks .* differ: .* 90 s ahead/],
    ] as const) {
      const header = createPrincipalSigner(secret, manualClock(noon + ms)).sign(caller)
      assert.throws(() => read(header), { code: Code.Unavailable, message: said })
      assert.throws(
        () => read(header),
        error => codeOf(error) === 'unavailable',
      )
    }
  })

  const header = createPrincipalSigner(secret, clockAtNoon()).sign(caller)
  const sign = (value: unknown) => createSigner(secret, 'principal').sign(value)
  const { accountId, mode, keyId, plans } = caller
  const signed = { accountId, mode, keyId, plans, scopes: [...caller.scopes], expiresAt: noon + LIFE_MS }
  const rich = Buffer.from(JSON.stringify({ ...signed, scopes: ['*'] })).toString('base64url')
  const strangers: [string, string][] = [
    ['nothing', ''],
    ['a dot', '.'],
    ['one without a signature', header.slice(0, header.indexOf('.'))],
    ['one cut short', header.slice(0, -1)],
    ['one with more behind it', `${header}A`],
    ['one that was given more scopes', `${rich}${header.slice(header.indexOf('.'))}`],
    ['one of another deployment', createPrincipalSigner(otherSecret, clockAtNoon()).sign(caller)],
    ['a service token of ours', token],
    ['a service token of ours without its prefix', token.slice('mhs_'.length)],
    ['a principal with the signature of a token', createSigner(secret, 'service token').sign(signed)],
    ['a cursor of ours', createCursors(secret).seal(signed, '')],
    ['a signed null', sign(null)],
    ['one without an account', sign({ ...signed, accountId: '' })],
    ['one with an account that is no id', sign({ ...signed, accountId: 'acct_../../x' })],
    ['one with a tenant as its account', sign({ ...signed, accountId: 'acct_1/live' })],
    ['one with a line behind its account', sign({ ...signed, accountId: 'acct_1\n' })],
    ['one with the id of something else', sign({ ...signed, accountId: 'key_1' })],
    ['one of another mode', sign({ ...signed, mode: 'prod' })],
    ['one with wrong scopes', sign({ ...signed, scopes: [1] })],
    ['one without plans', sign({ ...signed, plans: undefined })],
    ['one without a key', sign({ ...signed, keyId: undefined })],
    ['one without an end', sign({ ...signed, expiresAt: undefined })],
    ['one whose end is no time', sign({ ...signed, expiresAt: '9999' })],
    ['one that is too long', sign({ ...signed, scopes: Array.from({ length: 2_000 }, () => 'tasks:read') })],
  ]
  for (const [what, stranger] of strangers) {
    it(`is not ${what}`, () => {
      assert.equal(
        refused(() => createPrincipalReader(signer, clockAtNoon())(stranger)),
        'invalid_credentials',
      )
    })
  }
})

describe('outgoing headers', () => {
  const headers = outgoingHeaders(createPrincipalSigner(secret, clockAtNoon()).sign)

  it('are the principal, the request id, the operation and the wait, where the values have them', () => {
    assert.deepEqual(headers(undefined), [])
    assert.deepEqual(headers(createContextValues()), [])
    const values = createContextValues().set(principalKey, caller).set(requestIdKey, 'req_1')
    values.set(operationKey, 'op').set(waitMsKey, 250)
    const lines = new Map(headers(values))
    const names = ['millhand-principal', 'millhand-request-id', 'millhand-operation', 'millhand-wait-ms']
    assert.deepEqual([...lines.keys()], names)
    assert.equal(lines.get('millhand-wait-ms'), '250')
    assert.equal(lines.get('millhand-request-id'), 'req_1')
    assert.equal(lines.get('millhand-operation'), 'op')
    assert.deepEqual(createPrincipalReader(signer, clockAtNoon())(lines.get('millhand-principal') as string), caller)
  })
})

/** The catalogue's code that the work is refused with; what it says has nothing of what was sent. */
function refused(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof ConnectError)
    const reason = error.findDetails(ErrorInfoSchema)[0]?.reason
    assert.equal(error.code, reason === 'unavailable' ? Code.Unavailable : Code.Unauthenticated)
    return reason
  }
  return assert.fail('it was read')
}
