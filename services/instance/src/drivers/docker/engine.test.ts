import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { manualClock, systemClock } from '@millhand/process'
import { fault, LIMIT_MS } from '../driver.contract.ts'
import { createDockerDriver } from './docker-driver.ts'
import { createEngine, type Engine } from './engine.ts'
import { endsOf } from './engine-events.ts'
import { ensureImage } from './images.ts'

/** An engine that begins each answer with what `begin` says, and never ends one; with `''` it begins none. */
async function stuckEngine(begin: (path: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-engine-'))
  const socket = join(folder, 'docker.sock')
  const answers: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/_ping') return void response.setHeader('api-version', '1.41').end('OK')
    const path = `${request.url}`.replace(/^\/v[\d.]+/, '').replace(/\?.*$/, '')
    answers.push(response)
    const text = begin(path)
    if (text === '') return
    response.write(text)
    if (path === '/info') response.end()
  }).listen(socket)
  await once(server, 'listening')
  const url = `unix://${socket}`
  const engine = createEngine({ url })
  return {
    url,
    engine,
    answers,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const HALF_HOUR_MS = 1_800_000
const DAY_MS = 86_400_000
const signal = () => AbortSignal.timeout(LIMIT_MS)

test('an engine that stops in the middle of an answer counts as one that does not answer', async () => {
  await using stuck = await stuckEngine(() => '[{"Id":')
  const call = stuck.engine.call('GET', '/containers/json', { signal: signal(), timeoutMs: 200 })
  await assert.rejects(call, fault('unavailable'))
})

test('an engine that stops in the middle of its events ends no pass', async () => {
  const info = JSON.stringify({ SystemTime: '2026-11-27T04:00:00Z' })
  await using stuck = await stuckEngine(path => (path === '/info' ? info : '\n'))
  await assert.rejects(endsOf(stuck.engine, 'test', signal(), 200), fault('unavailable'))
})

const pull = (engine: Engine, clock: ReturnType<typeof manualClock>, cancelled?: AbortSignal) => {
  const replica = { image: 'registry.example.com/acme/server' }
  return ensureImage(engine, replica, {}, clock, { signal: signal(), ...(cancelled && { cancelled }) })
}
const progress = JSON.stringify({ status: 'Downloading', id: 'a', progressDetail: { current: 1, total: 1e9 } })

test('a registry that sends nothing any more is given up, and so is one that never comes to an end', async () => {
  await using stuck = await stuckEngine(() => `${progress}\n`)
  for (const isSilent of [true, false]) {
    const clock = manualClock()
    const begun = stuck.answers.length
    let failed: unknown
    const pulled = pull(stuck.engine, clock).catch(error => {
      failed = error
    })
    while (stuck.answers.length === begun) await setImmediate()
    while (failed === undefined && clock.monotonic() < DAY_MS) {
      if (!isSilent) stuck.answers.at(-1)?.write(`${progress}\n`)
      for (let turns = 0; turns < 20; turns++) await setImmediate()
      await clock.advance(60_000)
    }
    assert.ok(fault('registry_unavailable')(failed))
    assert.equal(clock.monotonic() < HALF_HOUR_MS, isSilent, `${clock.monotonic()} ms`)
    await pulled
  }
})

test('a pull ends as soon as its replica is not wanted any more', async () => {
  await using stuck = await stuckEngine(() => `${progress}\n`)
  const cancel = new AbortController()
  const pulled = pull(stuck.engine, manualClock(), cancel.signal)
  while (stuck.answers.length === 0) await setImmediate()
  const [answer] = stuck.answers
  cancel.abort(new Error('not wanted'))
  await assert.rejects(pulled, /not wanted/)
  if (!answer?.closed) await once(answer as ServerResponse, 'close')
})

test('an engine that does not answer holds up what a new replica waits for only once', async () => {
  await using stuck = await stuckEngine(() => '')
  await using driver = createDockerDriver({
    ...{ deployment: 'test', sizes: {}, clock: systemClock },
    hosts: [{ url: stuck.url }],
  })
  await driver.list(signal())
  // A list has ten times as long.
  const listed = driver.list(signal()).then(() => 'listed')
  assert.equal(await Promise.race([driver.capacity(signal()).then(() => 'counted'), listed]), 'counted')
  assert.deepEqual(await driver.capacity(signal()), [])
  await listed
})
