/** What every transport promises: one suite that all of them pass. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Transport,
} from '@connectrpc/connect'
import { fail, problemOf } from '@millhand/api'
import { ContractService, UnservedService } from './contract-service.fixture.ts'
import type { Routes } from './direct-transport.ts'
import { aborted, echo, type Impl, rejection, type Serving } from './serving.contract.ts'
import { describeStreams } from './stream.contract.ts'

export interface OpenTransport {
  readonly transport: Transport
  close(): Promise<void>
}

export interface TransportContractOptions {
  /** Whether the transport crosses a network, where context values stay behind: what must arrive travels in headers. */
  readonly network?: true
}

/** Runs the suite; `open` serves `routes` and answers with a transport that reaches them. */
export function describeTransport(
  name: string,
  open: (routes: (router: Routes) => void) => Promise<OpenTransport>,
  options: TransportContractOptions = {},
): void {
  const serving: Serving = (impl, run) => async () => {
    const { transport, close } = await open(router => router.service(ContractService, impl))
    try {
      await run(createClient(ContractService, transport), transport)
    } finally {
      await close()
    }
  }

  describe(`transport: ${name}`, () => {
    describe('unary', () => {
      it(
        'answers, also many at once',
        serving({ echo }, async client => {
          const words = Array.from({ length: 100 }, (_, i) => `word ${i}`)
          const answers = await Promise.all(words.map(value => client.echo({ value })))
          assert.deepEqual(
            answers.map(({ value }) => value),
            words,
          )
        }),
      )

      it(
        'carries large messages',
        serving({ echo }, async client => {
          const value = 'é'.repeat(1 << 20)
          const answer = await client.echo({ value })
          assert.ok(answer.value === value)
        }),
      )

      it('carries headers and trailers both ways', async () => {
        const impl: Impl = {
          echo(request, call) {
            call.responseHeader.set('x-seen', call.requestHeader.get('x-sent') ?? 'nothing')
            call.responseTrailer.set('x-after', 'trailer')
            return request
          },
        }
        await serving(impl, async client => {
          const seen: (string | null)[] = []
          await client.echo(
            { value: '' },
            {
              headers: { 'x-sent': 'sent' },
              onHeader: header => seen.push(header.get('x-seen')),
              onTrailer: trailer => seen.push(trailer.get('x-after')),
            },
          )
          assert.deepEqual(seen, ['sent', 'trailer'])
        })()
      })

      it('tells the handler which method was called', async () => {
        const impl: Impl = {
          echo: (_, call) => ({ value: `${call.service.typeName}/${call.method.name} ${call.requestMethod}` }),
        }
        await serving(impl, async client => {
          assert.equal((await client.echo({ value: '' })).value, 'millhand.rpc.ContractService/Echo POST')
        })()
      })

      it(options.network ? 'leaves context values behind' : 'carries context values', async () => {
        const nobody = { who: 'nobody' }
        const key = createContextKey(nobody)
        const value = { who: 'somebody' }
        let seen: unknown
        const impl: Impl = {
          echo(request, call) {
            seen = call.values.get(key)
            return request
          },
        }
        await serving(impl, async client => {
          await client.echo({ value: '' }, { contextValues: createContextValues().set(key, value) })
          assert.equal(seen, options.network ? nobody : value)
        })()
      })
    })

    describe('errors', () => {
      it('carries code, message, and the details of the catalogue', async () => {
        const fault = { param: 'value', code: 'required', message: '`value` is required.' }
        const impl: Impl = {
          echo() {
            throw fail('missing_parameter', 'Something is missing.', { errors: [fault], cause: new Error('secret') })
          },
        }
        await serving(impl, async client => {
          const error = await rejection(client.echo({ value: '' }))
          assert.equal(error.code, Code.InvalidArgument)
          assert.equal(error.rawMessage, 'Something is missing.')
          const { code, param, errors } = problemOf(error, 'req_1')
          assert.deepEqual({ code, param, errors }, { code: 'missing_parameter', param: 'value', errors: [fault] })
        })()
      })

      it('carries the headers and trailers of a call that fails', async () => {
        const impl: Impl = {
          echo(_, call) {
            call.responseHeader.set('x-before', 'header')
            call.responseTrailer.set('x-after', 'trailer')
            throw fail('invalid_state', 'No further.')
          },
        }
        await serving(impl, async client => {
          const { metadata } = await rejection(client.echo({ value: '' }))
          assert.deepEqual([metadata.get('x-before'), metadata.get('x-after')], ['header', 'trailer'])
        })()
      })

      it(
        'says “canceled” when the handler does',
        serving({ echo: () => Promise.reject(new ConnectError('it is over', Code.Canceled)) }, async client => {
          const error = await rejection(client.echo({ value: '' }))
          assert.deepEqual([error.code, error.rawMessage], [Code.Canceled, 'it is over'])
        }),
      )

      for (const [how, echo] of [
        ['rejects', () => Promise.reject(new Error('the password is swordfish'))],
        ['throws', throwing],
      ] as const) {
        it(
          `says no more than "internal" when a handler ${how} another error`,
          serving({ echo }, async client => {
            const error = await rejection(client.echo({ value: '' }))
            assert.equal(error.code, Code.Internal)
            assert.equal(error.rawMessage, 'internal error')
          }),
        )
      }

      it(
        'answers "unimplemented" for a method and for a service that nobody serves',
        serving({ echo }, async (client, transport) => {
          const unserved = createClient(UnservedService, transport)
          assert.equal((await rejection(client.forgotten({ value: '' }))).code, Code.Unimplemented)
          assert.equal((await rejection(unserved.echo({ value: '' }))).code, Code.Unimplemented)
        }),
      )
    })

    describe('deadline and cancellation', () => {
      it('rejects the call at its deadline and fires the handler’s signal', async () => {
        const waiting = waitForSignal()
        await serving({ echo: waiting.handler }, async client => {
          await rejection(client.forgotten({})) // Opens the way, which may take longer than the deadline.
          const error = await rejection(client.echo({ value: '' }, { timeoutMs: 25 }))
          assert.equal(error.code, Code.DeadlineExceeded)
          const call = await waiting.fired
          assert.ok(call.signal.aborted)
        })()
      })

      it('tells the handler how much time is left', async () => {
        const impl: Impl = { echo: (_, call) => ({ value: String(call.timeoutMs()) }) }
        await serving(impl, async client => {
          const left = Number((await client.echo({ value: '' }, { timeoutMs: 60_000 })).value)
          assert.ok(left > 0 && left <= 60_000, `${left} ms left of 60,000`)
          assert.equal((await client.echo({ value: '' })).value, 'undefined')
        })()
      })

      it('rejects the call when its caller aborts, and fires the handler’s signal', async () => {
        const waiting = waitForSignal()
        await serving({ echo: waiting.handler }, async client => {
          const abort = new AbortController()
          const answer = rejection(client.echo({ value: '' }, { signal: abort.signal }))
          const call = await waiting.begun
          assert.equal(call.signal.aborted, false)
          abort.abort()
          assert.equal((await answer).code, Code.Canceled)
          await waiting.fired
        })()
      })

      it(
        'rejects a call that was aborted before',
        serving({ echo }, async client => {
          const error = await rejection(client.echo({ value: '' }, { signal: AbortSignal.abort() }))
          assert.equal(error.code, Code.Canceled)
        }),
      )
    })

    describeStreams(serving)
  })
}

function throwing(): never {
  throw new Error('the password is swordfish')
}

/** A handler that only its signal ends. */
function waitForSignal() {
  const begun = Promise.withResolvers<HandlerContext>()
  const fired = Promise.withResolvers<HandlerContext>()
  const handler: NonNullable<Impl['echo']> = async (request, call) => {
    begun.resolve(call)
    await aborted(call)
    fired.resolve(call)
    return request
  }
  return { handler, begun: begun.promise, fired: fired.promise }
}
