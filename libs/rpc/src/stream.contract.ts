/** What every transport promises of its streams. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code } from '@connectrpc/connect'
import { fail, problemOf } from '@millhand/api'
import { aborted, echo, type Impl, rejection, type Serving } from './serving.contract.ts'

export function describeStreams(serving: Serving): void {
  describe('streams', () => {
    it(
      'sends every message in order, and ends',
      serving({ countTo }, async client => {
        assert.deepEqual(await collect(client.countTo({ value: 5 })), ['1', '2', '3', '4', '5'])
        assert.deepEqual(await collect(client.countTo({ value: 0 })), [])
      }),
    )

    it('sends what came before an error, then the error', async () => {
      const impl: Impl = {
        async *countTo(_, call) {
          call.responseTrailer.set('x-after', 'trailer')
          yield { value: '1' }
          throw fail('invalid_state', 'No further.')
        },
      }
      await serving(impl, async client => {
        const seen: string[] = []
        const error = await rejection(
          (async () => {
            for await (const { value } of client.countTo({ value: 2 })) seen.push(value)
          })(),
        )
        assert.deepEqual(seen, ['1'])
        assert.equal(problemOf(error, 'req_1').code, 'invalid_state')
        assert.equal(error.metadata.get('x-after'), 'trailer')
      })()
    })

    it('makes messages no faster than they are read', async () => {
      const size = 1 << 16
      const all = 4_000
      let made = 0
      const impl: Impl = {
        echo,
        async *countTo() {
          for (; made < all; made++) yield { value: 'x'.repeat(size) }
        },
      }
      await serving(impl, async client => {
        const abort = new AbortController()
        const stream = client.countTo({ value: all }, { signal: abort.signal })[Symbol.asyncIterator]()
        await stream.next()
        for (let i = 0; i < 50; i++) await client.echo({ value: 'time for the stream to run ahead' })
        assert.ok(made < all / 2, `${made} of ${all} messages were made when one had been read`)
        abort.abort()
        await rejection(stream.next())
      })()
    })

    it('lets the handler clean up when the reader aborts', async () => {
      const cleaned = Promise.withResolvers<void>()
      const impl: Impl = {
        async *countTo(_, call) {
          try {
            yield { value: '1' }
            await aborted(call)
          } finally {
            cleaned.resolve()
          }
        },
      }
      await serving(impl, async client => {
        const abort = new AbortController()
        const stream = client.countTo({ value: 1 }, { signal: abort.signal })[Symbol.asyncIterator]()
        await stream.next()
        abort.abort()
        assert.equal((await rejection(stream.next())).code, Code.Canceled)
        await cleaned.promise
      })()
    })

    it('ends a stream at its deadline while its handler waits', async () => {
      const impl: Impl = {
        async *countTo(_, call) {
          yield { value: '1' }
          await aborted(call)
          yield { value: 'too late' }
        },
      }
      await serving(impl, async client => {
        await rejection(client.forgotten({})) // Opens the way, which may take longer than the deadline.
        const stream = client.countTo({ value: 1 }, { timeoutMs: 1_000 })[Symbol.asyncIterator]()
        assert.equal((await stream.next()).value?.value, '1')
        assert.equal((await rejection(stream.next())).code, Code.DeadlineExceeded)
      })()
    })

    it('takes a stream of requests', async () => {
      const impl: Impl = { join: async requests => ({ value: (await collect(requests)).join(' ') }) }
      await serving(impl, async client => {
        assert.equal((await client.join(words('all', 'of', 'them'))).value, 'all of them')
      })()
    })

    it('talks both ways at once', async () => {
      const impl: Impl = {
        async *talk(requests) {
          for await (const { value } of requests) yield { value: value.toUpperCase() }
        },
      }
      await serving(impl, async client => {
        const heard = Promise.withResolvers<void>()
        const requests = (async function* () {
          yield { value: 'first' }
          await heard.promise
          yield { value: 'second' }
        })()
        const answers: string[] = []
        for await (const { value } of client.talk(requests)) {
          answers.push(value)
          heard.resolve()
        }
        assert.deepEqual(answers, ['FIRST', 'SECOND'])
      })()
    })
  })
}

const countTo: NonNullable<Impl['countTo']> = async function* ({ value }) {
  for (let i = 1; i <= value; i++) yield { value: String(i) }
}

async function* words(...all: string[]) {
  for (const value of all) yield { value }
}

async function collect(messages: AsyncIterable<{ value: string }>): Promise<string[]> {
  const values: string[] = []
  for await (const { value } of messages) values.push(value)
  return values
}
