import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import { ReachedLimitSchema } from '@millhand/api/gen/millhand/billing/v1/spending_limit_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { operationKey, waitMsKey } from '../operation.ts'
import { principalKey, requestIdKey } from '../principal.ts'
import { reachedLimitKey } from '../reached-limit.ts'
import { createAdmission } from './admission.ts'
import {
  caller,
  clockAtNoon,
  listeningLog,
  mintToken,
  noon,
  otherSecret,
  secret,
  signer,
  trusted,
} from './network.fixture.ts'
import { outgoingHeaders } from './outgoing-headers.ts'
import { allOf, createTokenIssuer } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const tokenFor = (service: DescService, accounts = true, by: Uint8Array = secret) =>
  mintToken({ service: 'test', methods: [allOf(service)], ...(accounts && { signer }) }, by)
const strange = createPrincipalSigner(otherSecret, clockAtNoon()).sign(caller)
const principal = createPrincipalSigner(secret, clockAtNoon()).sign(caller)
const requestId = 'req_01jd7x8f2wfyqs3m6k9v0t4b5c'

describe('admit', () => {
  const { log } = listeningLog()
  const admission = createAdmission({ trusted, clock: clockAtNoon(), log })
  const admit = (method: DescMethod, token: string, header: Record<string, string> = {}) =>
    admission.admit({ requestHeader: new Headers({ authorization: `Bearer ${token}` }) }, method, new Headers(header))

  it('gives the principal and the request id of the call', () => {
    const values = admit(ComputeService.method.getTask, tokenFor(ComputeService), {
      'millhand-principal': principal,
      'millhand-request-id': requestId,
    })
    assert.deepEqual(values.get(principalKey), caller)
    assert.equal(values.get(requestIdKey), requestId)
  })

  it('gives nothing that the call does not have, and passes over what is no request id', () => {
    const values = admit(ComputeService.method.getTask, tokenFor(ComputeService), { 'millhand-request-id': 'req_\n' })
    assert.equal(values.get(principalKey), undefined)
    assert.equal(values.get(requestIdKey), undefined)
  })

  it('gives the wait of a principal, where it is a number below a second', () => {
    const method = ComputeService.method.createTask
    const waitOf = (header: Record<string, string>) => admit(method, tokenFor(ComputeService), header).get(waitMsKey)
    const named = { 'millhand-principal': principal }
    assert.equal(waitOf({ ...named, 'millhand-wait-ms': '250' }), 250)
    assert.equal(waitOf({ 'millhand-wait-ms': '250' }), 0)
    for (const wrong of ['', '-1', '1.5', '1000', 'x']) assert.equal(waitOf({ ...named, 'millhand-wait-ms': wrong }), 0)
  })

  it('gives the reached limit of a principal, as its sender had it', () => {
    const limit = create(ReachedLimitSchema, { tenant: 'acct_a/live', limit: { amount: '5.000000', currency: 'USD' } })
    const sent = outgoingHeaders(() => principal)(
      createContextValues().set(principalKey, caller).set(reachedLimitKey, limit),
    )
    const limitOf = (header: Record<string, string>) =>
      admit(ComputeService.method.createTask, tokenFor(ComputeService), header).get(reachedLimitKey)
    const { 'millhand-principal': named, ...unnamed } = Object.fromEntries(sent)
    assert.deepEqual(limitOf(Object.fromEntries(sent)), limit)
    assert.equal(limitOf(unnamed), undefined)
    for (const wrong of ['', '?', 'AAAA']) {
      assert.equal(limitOf({ 'millhand-principal': named as string, 'millhand-reached-limit': wrong }), undefined)
    }
  })

  it('gives the operation of a principal, where it is the part of an id after its prefix', () => {
    const method = ComputeService.method.createTask
    const operationOf = (header: Record<string, string>) =>
      admit(method, tokenFor(ComputeService), header).get(operationKey)
    const named = { 'millhand-principal': principal }
    const operation = '01jd7x8f2wfyqs3m6k9v0t4b5c'
    assert.equal(operationOf({ ...named, 'millhand-operation': operation }), operation)
    assert.equal(operationOf({ 'millhand-operation': operation }), undefined)
    for (const wrong of ['', `task_${operation}`, `${operation}0`, operation.slice(1), operation.toUpperCase()]) {
      assert.equal(operationOf({ ...named, 'millhand-operation': wrong }), undefined)
    }
  })

  it('takes the header of a call on its own from where its token is', () => {
    const requestHeader = new Headers({
      authorization: `bearer ${tokenFor(ComputeService)}`,
      'millhand-principal': principal,
    })
    assert.deepEqual(admission.admit({ requestHeader }, ComputeService.method.getTask).get(principalKey), caller)
  })

  it('does not take the principal of a tunnel for that of its calls', () => {
    const requestHeader = new Headers({
      authorization: `Bearer ${tokenFor(ComputeService)}`,
      'millhand-principal': principal,
    })
    const values = admission.admit({ requestHeader }, ComputeService.method.getTask, new Headers())
    assert.equal(values.get(principalKey), undefined)
  })

  it('admits each call of a tunnel by itself, whatever the one before', () => {
    const tunnel = { requestHeader: new Headers({ authorization: `Bearer ${tokenFor(LeaseService, false)}` }) }
    admission.admit(tunnel, LeaseService.method.claim, new Headers())
    assert.throws(
      () => admission.admit(tunnel, ComputeService.method.getTask, new Headers()),
      isRefusal(Code.PermissionDenied),
    )
  })

  it('refuses a principal from who may not name accounts', () => {
    const named = { 'millhand-principal': principal }
    assert.throws(
      () => admit(LeaseService.method.claim, tokenFor(LeaseService, false), named),
      isRefusal(Code.PermissionDenied, 'insufficient_scope'),
    )
  })

  it('refuses a principal that is of another time or strange, with a good token too', () => {
    const later = createAdmission({ trusted, clock: manualClock(noon + 60_000), log })
    const carrier = { requestHeader: new Headers({ authorization: `Bearer ${tokenFor(ComputeService)}` }) }
    const method = ComputeService.method.getTask
    for (const [admission_, sent, code, reason] of [
      [later, principal, Code.Unavailable, 'unavailable'],
      [admission, strange, Code.Unauthenticated, 'invalid_credentials'],
      [admission, '', Code.Unauthenticated, 'invalid_credentials'],
    ] as const) {
      assert.throws(
        () => admission_.admit(carrier, method, new Headers({ 'millhand-principal': sent })),
        isRefusal(code, reason),
      )
    }
  })

  it('takes principals from whose token they come with, and no one else’s', () => {
    const other = { service: 'other', methods: [allOf(ComputeService)] }
    const otherSigner = createPrincipalSigner(otherSecret, clockAtNoon()).publicKey
    const method = ComputeService.method.getTask
    const signed = { 'millhand-principal': strange }
    assert.deepEqual(admit(method, mintToken({ ...other, signer: otherSigner }), signed).get(principalKey), caller)
    assert.throws(() => admit(method, mintToken({ ...other, signer }), signed), isRefusal(Code.Unauthenticated))
  })

  it('refuses a token from its end on, and says when that was, in a tunnel too', async () => {
    const clock = clockAtNoon()
    const admission = createAdmission({ trusted, clock, log })
    const token = mintToken({ service: 'test', methods: [allOf(LeaseService)], expiresAt: noon + 1 })
    const tunnel = { requestHeader: new Headers({ authorization: `Bearer ${token}` }) }
    admission.admit(tunnel, LeaseService.method.claim, new Headers())
    assert.ok(await admission.isKnown(tunnel))
    await clock.advance(1)
    assert.throws(
      () => admission.admit(tunnel, LeaseService.method.claim, new Headers()),
      (error: unknown) =>
        isRefusal(Code.Unauthenticated, 'expired_credentials')(error) && /expired at 2026-11-21T12:00/.test(`${error}`),
    )
    assert.ok(!(await admission.isKnown(tunnel)))
  })

  it('trusts the old issuer beside the new one while a secret is changed, and no longer', async () => {
    const [old, young] = [trusted[0] as string, createTokenIssuer(otherSecret).publicKey]
    const enters = (issuers: string[], by: Uint8Array) => {
      const admission = createAdmission({ trusted: issuers, clock: clockAtNoon(), log })
      const requestHeader = new Headers({ authorization: `Bearer ${tokenFor(LeaseService, false, by)}` })
      return admission.isKnown({ requestHeader })
    }
    const table = [[old], [young, old], [young]].map(issuers =>
      Promise.all([enters(issuers, secret), enters(issuers, otherSecret)]),
    )
    assert.deepEqual(await Promise.all(table), [
      [true, false],
      [true, true],
      [false, true],
    ])
  })

  it('tells the log of each caller and method that is refused once a minute, never with a token', async () => {
    const clock = clockAtNoon()
    const { log, lines } = listeningLog()
    const admission = createAdmission({ trusted, clock, log })
    const token = tokenFor(LeaseService)
    const requestHeader = new Headers({ authorization: `Bearer ${token}`, 'millhand-principal': strange })
    const known = { requestHeader }
    const nobody = { requestHeader: new Headers({ authorization: `Bearer ${token}x` }) }
    const tryAll = () => {
      for (const [carrier, method] of [
        [known, ComputeService.method.getTask],
        [known, ComputeService.method.listTasks],
        [known, LeaseService.method.claim],
        [nobody, LeaseService.method.claim],
      ] as const) {
        assert.throws(() => admission.admit(carrier, method))
      }
    }
    tryAll()
    tryAll()
    const told = () => lines.splice(0).map(line => JSON.parse(line))
    const first = told()
    assert.deepEqual(
      first.map(({ event, caller, method, reason }) => [event, caller, method, reason]),
      [
        ['rpc.refused', 'test', 'millhand.compute.v1.ComputeService/GetTask', notAllowed('GetTask')],
        ['rpc.refused', 'test', 'millhand.compute.v1.ComputeService/ListTasks', notAllowed('ListTasks')],
        [
          'rpc.refused',
          'test',
          'millhand.lease.v1.LeaseService/Claim',
          'The principal is not one that this caller signed.',
        ],
        [
          'rpc.refused',
          'nobody',
          'millhand.lease.v1.LeaseService/Claim',
          'The service token was not made for this deployment.',
        ],
      ],
    )
    await clock.advance(60_000)
    tryAll()
    assert.equal(told().length, first.length)
    for (const text of [token, strange]) assert.ok(!JSON.stringify(first).includes(text))
  })

  it('refuses what is not a bearer token', () => {
    for (const authorization of ['Bearer', 'Bearer ', `Basic ${tokenFor(ComputeService)}`, tokenFor(ComputeService)]) {
      assert.throws(
        () => admission.admit({ requestHeader: new Headers({ authorization }) }, ComputeService.method.getTask),
        isRefusal(Code.Unauthenticated, 'invalid_credentials'),
      )
    }
  })

  it('is no fault of the user whom the gateway calls for', () => {
    const requestHeader = new Headers()
    assert.throws(
      () => admission.admit({ requestHeader }, ComputeService.method.getTask),
      error => codeOf(error) === 'internal',
    )
  })
})

const notAllowed = (method: string) => `The service token does not allow /millhand.compute.v1.ComputeService/${method}.`

const isRefusal = (code: Code, reason?: string) => (error: unknown) =>
  error instanceof ConnectError &&
  error.code === code &&
  (reason === undefined || error.findDetails(ErrorInfoSchema)[0]?.reason === reason)
