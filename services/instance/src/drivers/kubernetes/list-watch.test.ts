import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { KubeConfig } from '@kubernetes/client-node'
import { systemClock } from '@millhand/process'
import { createCluster } from './cluster.ts'
import { createListWatch, type ListWatch, type Resource } from './list-watch.ts'

let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(240_000)
})

type Answer = (answer: ServerResponse, url: URL) => void

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

/** A server whose answers to lists and to watches a test gives one by one; the last is given again. */
async function open(lists: readonly Answer[], watches: readonly Answer[]) {
  const asked: URL[] = []
  const turn = { list: 0, watch: 0 }
  const server = createServer((request: IncomingMessage, answer) => {
    const url = new URL(request.url ?? '', 'http://server')
    asked.push(url)
    const kind = url.searchParams.has('watch') ? 'watch' : 'list'
    const answers = kind === 'watch' ? watches : lists
    answers[Math.min(turn[kind]++, answers.length - 1)]?.(answer, url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: 'test', server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, skipTLSVerify: true },
    { name: 'test', token: 'token' },
  )
  const cluster = createCluster(config)
  const watch = createListWatch<Resource>({ cluster, path: '/things', keep: thing => thing, clock: systemClock })
  opened.push(
    async () => {
      server.closeAllConnections()
      server.close()
    },
    async () => await cluster[Symbol.asyncDispose](),
    async () => await watch[Symbol.asyncDispose](),
  )
  return { asked, watch }
}

const thing = (name: string, resourceVersion: string): Resource => ({ metadata: { name, resourceVersion } })

const list =
  (resourceVersion: string, ...names: string[]): Answer =>
  answer =>
    void answer.end(
      JSON.stringify({ metadata: { resourceVersion }, items: names.map(name => thing(name, resourceVersion)) }),
    )

const events =
  (...told: readonly [type: string, object: object][]): Answer =>
  answer => {
    answer.flushHeaders()
    for (const [type, object] of told) answer.write(`${JSON.stringify({ type, object })}\n`)
  }

const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  answer =>
    void answer.writeHead(status, headers).end(JSON.stringify({ kind: 'Status', code: status, message: 'no' }))

/** Ends the answer that `first` has begun, as the server ends a watch in time. */
const ending =
  (first: Answer): Answer =>
  (answer, url) => {
    first(answer, url)
    answer.end()
  }

const reached = (watch: ListWatch<Resource>, ...names: string[]) =>
  watch.until(items => (names.join() === [...items.keys()].sort().join() ? true : undefined), signal)

const versions = (asked: readonly URL[]) =>
  asked.map(({ searchParams }) => (searchParams.has('watch') ? searchParams.get('resourceVersion') : 'list'))

describe('what is kept of a resource', () => {
  it('follows the changes after the list', async () => {
    const { watch, asked } = await open(
      [list('1', 'a', 'b')],
      [events(['ADDED', thing('c', '2')], ['DELETED', thing('a', '3')], ['MODIFIED', thing('b', '4')])],
    )
    await reached(watch, 'b', 'c')
    await watch.until(items => (items.get('b')?.metadata?.resourceVersion === '4' ? true : undefined), signal)
    assert.deepEqual(versions(asked), ['list', '1'])
  })

  it('is read in pages', async () => {
    const page: Answer = (answer, { searchParams }) => {
      const isFirst = !searchParams.has('continue')
      const metadata = isFirst ? { resourceVersion: '1', continue: 'next' } : { resourceVersion: '1' }
      answer.end(JSON.stringify({ metadata, items: [thing(isFirst ? 'a' : 'b', '1')] }))
    }
    const { watch } = await open([page], [events()])
    await reached(watch, 'a', 'b')
  })

  it('goes on where a watch ended in time, without another list', async () => {
    const { watch, asked } = await open(
      [list('1')],
      [ending(events(['ADDED', thing('a', '2')], ['BOOKMARK', thing('', '7')])), events(['ADDED', thing('b', '8')])],
    )
    await reached(watch, 'a', 'b')
    assert.deepEqual(versions(asked), ['list', '1', '7'])
  })

  const expired = { kind: 'Status', code: 410, message: 'too old resource version' }
  for (const [how, answer] of [
    ['an event', ending(events(['ERROR', expired]))],
    ['an answer', refuse(410)],
  ] as const)
    it(`is listed again where the version is too old, told by ${how}`, async () => {
      const { watch, asked } = await open(
        [list('1', 'a'), list('9', 'b')],
        [answer, events(['ADDED', thing('c', '10')])],
      )
      await reached(watch, 'b', 'c')
      assert.deepEqual(versions(asked), ['list', '1', 'list', '9'])
    })

  for (const [fault, answer] of [
    ['a connection that breaks off', (answer: ServerResponse) => void answer.write('{"type":', () => answer.destroy())],
    ['a server that fails', refuse(503)],
    ['an answer that is no event', ending(answer => void answer.write('<html>\n'))],
  ] as const)
    it(`is listed again after ${fault}, and says so`, async () => {
      const { watch, asked } = await open([list('1', 'a'), list('5', 'b')], [answer, events()])
      const back = Promise.withResolvers<void>()
      using _ = watch.subscribe(() => back.resolve())
      await back.promise
      await reached(watch, 'b')
      assert.deepEqual(versions(asked), ['list', '1', 'list', '5'])
    })

  it('is listed again where nothing comes over a connection, not even its end', async () => {
    const { watch, asked } = await open([list('1', 'a'), list('5', 'b')], [events()])
    await reached(watch, 'b')
    assert.deepEqual(versions(asked).slice(0, 3), ['list', '1', 'list'])
  })

  it('is asked for again where the server is overloaded, when it says', async () => {
    const { watch } = await open([refuse(429, { 'retry-after': '0' }), list('1', 'a')], [events()])
    await reached(watch, 'a')
  })

  it('is unavailable where the server does not answer', async () => {
    const { watch } = await open([() => {}], [events()])
    await assert.rejects(watch.items(signal), { name: 'DriverFault', reason: 'unavailable' })
  })

  it('ends its waits with their signal, and with the driver', async () => {
    const { watch } = await open([list('1')], [events()])
    const stop = new AbortController()
    const waiting = reached(watch, 'never')
    waiting.catch(() => {})
    const stopped = watch.until(() => undefined, stop.signal)
    await watch.items(signal)
    stop.abort(new Error('enough'))
    await assert.rejects(stopped, /enough/)
  })
})
