/** What takes a process of its own: its environment, and its limits. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listening, ok, PUBLIC, rawReceiver } from './receivers.fixture.ts'

const run = promisify(execFile)

/** What posting so often at once comes to, one line each. */
const program = `
  const { createDialer, createResolver, parseRanges } = await import(process.argv[1])
  const { systemClock: clock } = await import('@millhand/process')
  const [, , url, count] = process.argv
  const resolver = createResolver({ clock })
  const dialer = createDialer({ allow: parseRanges('${PUBLIC}'), resolver, clock, timeoutMs: 5_000, maxSocketsPerPartition: 100 })
  const request = { url, headers: {}, body: Buffer.from('{}'), plainHttp: true, partition: 'we_1' }
  const posts = Array.from({ length: Number(count) }, () => dialer.post(request, new AbortController().signal))
  for (const answer of await Promise.all(posts)) console.log(answer.code ?? answer.kind)
  await dialer.close()
  resolver.close()
`
const dial = new URL('index.ts', import.meta.url).href
const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, dial]

test('proxies that the environment names are not used', async t => {
  const proxy = await listening(t, createServer())
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const named = `http://${PUBLIC}:${proxy.port}`
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: named,
    http_proxy: named,
    HTTPS_PROXY: named,
    ALL_PROXY: named,
  }
  const { stdout } = await run(node[0] as string, [...node.slice(1), receiver.url, '1'], {
    env,
    cwd: import.meta.dirname,
  })
  assert.deepEqual([stdout, proxy.accepted, receiver.accepted], ['answered\n', 0, 1])
})

test('a machine that is out of sockets is not the failure of an endpoint, and the process ends by itself', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const limited = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', ...node, receiver.url, '80']
  const { stdout } = await run('sh', limited, { cwd: import.meta.dirname })
  const codes = stdout.trim().split('\n')
  assert.equal(codes.length, 80)
  assert.deepEqual([...new Set(codes)].sort(), ['answered', 'no_sockets'])
})
