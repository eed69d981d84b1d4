/** Requests that come in a single read are answered without node's objects, and nobody can tell. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { start, validTask } from './start.ts'
import { openWire, requestText, type Wire } from './wire.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

function create(key: string, task: object = validTask, ...more: string[]) {
  const body = JSON.stringify(task)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return requestText('POST /v1/tasks', [...headers, ...more], body)
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)

/** The first answer on a connection. */
async function answerOn(wire: Wire): Promise<string> {
  const [head = ''] = (await wire.until('\r\n\r\n')).split(/(?<=\r\n\r\n)/)
  const length = head.length + Number(/Content-Length: (\d+)/.exec(head)?.[1])
  let text = ''
  while (text.length < length) {
    await turn()
    text = await wire.until('')
  }
  return text
}

test('the answer has the same bytes as where the request comes in two reads', async t => {
  const { url, port, key } = await start(t)
  const whole = await openWire(port)
  whole.send(create(key))
  const parts = await openWire(port)
  const [head, body] = create(key).split(/(?<=\r\n\r\n)/) as [string, string]
  parts.send(head)
  // The head is read when what is sent after it is answered.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  parts.send(body)
  const same = (text: string) => text.replaceAll(/(?:req|task)_\w+|Date: [^\r]+|"[^"]+Z"|W\/"[^"]+"/g, '*')
  assert.equal(same(await answerOn(whole)), same(await answerOn(parts)))
})

test('a request that comes while the one before waits is answered after it', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.send(create(key, validTask, 'Prefer: wait=60'))
  while (services.waits === 0) await turn()
  wire.send(create(key))
  while (services.created.length < 2) await turn()
  wire.send(requestText('GET /healthz'))
  const [first = ''] = services.tasks.keys()
  services.finish(first)
  const text = await wire.until('"ok"')
  assert.deepEqual(statuses(text), ['201', '201', '200'])
  assert.ok(text.indexOf('"status":"succeeded"') < text.indexOf('"status":"queued"'))
  wire.send(create(key))
  while (services.created.length < 3) await turn()
  wire.socket.end()
  assert.deepEqual(statuses(await wire.rest()), ['201', '201', '200', '201'])
})

test('a create that is answered with its events may follow others, and be followed', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.send(create(key))
  const before = await wire.until('"queued"')
  services.streams.tell('task_00000000000000000000000002', { type: 'task.queued' }, { type: 'task.succeeded' })
  wire.send(create(key, { ...validTask, stream: true }))
  const stream = (await wire.until('\r\n0\r\n\r\n')).slice(before.length)
  assert.match(stream, /Content-Type: text\/event-stream\r\n.*event: task.queued.*event: task.succeeded/s)
  wire.send(create(key))
  while (services.created.length < 3) await turn()
  wire.socket.end()
  assert.deepEqual(statuses(await wire.rest()), ['201', '201', '201'])
})

test('a connection without a request ends with the server, at once', async t => {
  const { gateway, port, key } = await start(t)
  const wire = await openWire(port)
  wire.send(create(key))
  await wire.until('"queued"')
  await gateway.close()
  assert.deepEqual(statuses(await wire.rest()), ['201'])
})

test('a wait ends with the server, and so does its connection', async t => {
  const { gateway, port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.send(create(key, validTask, 'Prefer: wait=60'))
  while (services.waits === 0) await turn()
  await gateway.close()
  assert.match(await wire.rest(), /^HTTP\/1\.1 201 Created\r\n.*\r\nConnection: close\r\n/s)
})

test('a connection that its caller has half-closed ends with the events of what it created', async t => {
  const { url, port, key, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  services.streams.tell('task_00000000000000000000000001', { type: 'task.succeeded' })
  const wire = await openWire(port)
  wire.socket.end(create(key, { ...validTask, stream: true }))
  // The end has come too when what is sent after it is answered.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  gate.resolve()
  assert.match(await wire.rest(), /event: task.succeeded.*\r\n0\r\n\r\n$/s)
})

test('a head that is taken in a single read is none that node refuses, whatever flags the process has', async () => {
  // A HEAD request is always for node's parser.
  const program = `
    import { start } from ${JSON.stringify(import.meta.resolve('./start.ts'))}
    const { url } = await start({ after() {} })
    const answer = await fetch(url + '/v1/tasks', { method: 'HEAD', headers: { 'x-long': 'x'.repeat(3_000) } })
    process.stdout.write(String(answer.status), () => process.exit())`
  const flags = ['--max-http-header-size=2048', '--input-type=module', '--eval']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
  assert.equal(stdout, '401')
})
