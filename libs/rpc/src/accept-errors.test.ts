import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { ignoreAcceptErrors } from './accept-errors.ts'

test('a server whose accept fails lives on; the log hears of it every 10 s, and how often it did not', async () => {
  const lines: string[] = []
  const clock = manualClock()
  const server = createServer()
  ignoreAcceptErrors(server, createLog({ level: 'info', write: line => lines.push(line) }), clock)
  const fail = () => server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  for (let times = 0; times < 3; times++) fail()
  assert.equal(lines.length, 1)
  await clock.advance(10_000)
  fail()
  const said = lines.map(line => JSON.parse(line))
  assert.deepEqual(
    said.map(({ event, error, unsaid_before }) => [event, error.code, unsaid_before]),
    [
      ['connection.not_accepted', 'EMFILE', 0],
      ['connection.not_accepted', 'EMFILE', 2],
    ],
  )
})
