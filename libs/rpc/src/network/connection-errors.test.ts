import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code, ConnectError, createClient, createRouterTransport, type Interceptor } from '@connectrpc/connect'
import { ContractService } from '../contract-service.fixture.ts'
import { rejection } from '../serving.contract.ts'
import { mapConnectionErrors } from './connection-errors.ts'

const brokenOff = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
const own = new TypeError('a fault of this process')

describe('a call whose peer is lost', () => {
  for (const [what, thrown, code] of [
    ['an error of Node’s network', brokenOff, Code.Unavailable],
    ['one that Connect has wrapped', ConnectError.from(brokenOff, Code.Internal), Code.Unavailable],
    ['a session that ended under it', new ConnectError('closed', Code.Canceled), Code.Unavailable],
    ['another error', own, Code.Unknown],
    ['another error that Connect has wrapped', ConnectError.from(own, Code.Internal), Code.Internal],
  ] as const) {
    it(`fails as “${Code[code]}” for ${what}`, async () => {
      const failing: Interceptor = () => () => Promise.reject(thrown)
      const transport = createRouterTransport(() => {}, { transport: { interceptors: [mapConnectionErrors, failing] } })
      const error = await rejection(createClient(ContractService, transport).echo({}))
      assert.equal(ConnectError.from(error).code, code)
    })
  }
})
