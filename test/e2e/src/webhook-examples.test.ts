/** The receivers of docs/webhooks.md take what is ours, and refuse what is not. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, goMissing, python, pythonMissing } from '@millhand/test-servers'
import { type Block, blocks } from './documents.ts'
import { inherited, repository, type Server, startServer, temporaryFolder } from './server.ts'
import { digit, run } from './tasks.ts'

const page = readFileSync(join(repository, 'docs/webhooks.md'), 'utf8')
/** What their programs need, with its sums: `.ci/run` downloads it. */
const goModule = join(repository, 'services/webhook/src/signature/fixtures')

let server: Server
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const example = (language: string, flag?: string): string => {
  const isIt = (block: Block) => block.language === language && block.flags[0] === flag
  return blocks(page).find(isIt)?.code ?? assert.fail(`the page has no ${language}`)
}

/** A program in a folder of its own, as a command. */
const programs: readonly [
  name: string,
  skip: string | false,
  signature: 'v1' | 'v1a',
  make: () => readonly string[],
][] = [
  [
    'TypeScript',
    false,
    'v1',
    () => {
      const folder = temporaryFolder('millhand-receiver-')
      symlinkSync(join(repository, 'test/e2e/node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'receiver.ts'), example('ts'))
      return [process.execPath, '--disable-warning=ExperimentalWarning', join(folder, 'receiver.ts')]
    },
  ],
  ['Python', pythonMissing('standardwebhooks'), 'v1', () => [python, '-c', example('python')]],
  ['Go', goMissing, 'v1', () => [goProgram(example('go'))]],
  ['Go with a public key', goMissing, 'v1a', () => [goProgram(example('go', 'v1a'))]],
]

for (const [name, skip, signature, make] of programs) {
  test(`the receiver in ${name}`, { skip }, async () => {
    const command = make()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hooks`
    await using recorder = await recordingBefore(url)
    const json = { url: recorder.url, events: ['task.succeeded'], signature }
    const { body: webhook } = await server.request('POST', '/v1/webhooks', { json })
    await using receiver = await startReceiver(command, { WEBHOOK_SECRET: webhook.secret, PORT: String(port) }, url)
    await run(server, digit(7))
    const line = await receiver.line()
    assert.match(line, /^task\.succeeded evt_/)

    const real = recorder.posts[0] ?? assert.fail()
    assert.equal(await statusOf(url, real), 204)
    const changed = real.body.toString().replace('task.succeeded', 'task.succeedeD')
    assert.equal(await statusOf(url, { ...real, body: Buffer.from(changed) }), 401)
    const { 'webhook-signature': _, ...unsigned } = real.headers
    const zeros = `${signature},${Buffer.alloc(64).toString('base64')}`
    for (const forged of [unsigned, { ...unsigned, 'webhook-signature': zeros }]) {
      assert.equal(await statusOf(url, { ...real, headers: forged }), 401)
    }
    const path = `/v1/webhooks/${webhook.id}`
    const { body: deliveries } = await server.request('GET', `${path}/deliveries`)
    assert.ok(deliveries.data.length >= 1)
    await server.request('DELETE', path)
  })

  test(`the receiver in ${name} takes nothing that is old or long, though it is rightly signed`, { skip }, async () => {
    const command = make()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hooks`
    const { secret, signed } = signatures[signature]()
    await using _ = await startReceiver(command, { WEBHOOK_SECRET: secret, PORT: String(port) }, url)
    assert.equal(await statusOf(url, signed({ ageS: 0 })), 204)
    assert.equal(await statusOf(url, signed({ ageS: 290 })), 204)
    assert.equal(await statusOf(url, signed({ ageS: 301 })), 401)
    assert.equal(await statusOf(url, signed({ ageS: -310 })), 401)
    assert.notEqual(await statusOf(url, signed({ ageS: 0, padding: 2 << 20 })), 204)
    assert.equal(await statusOf(url, signed({ ageS: 0 })), 204, 'it goes on')
  })
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What the receiver answers; 0 where it cuts the connection. */
const statusOf = async (url: string, { headers, body }: Post): Promise<number> =>
  await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) }).then(
    ({ status }) => status,
    () => 0,
  )

/** Stands before a receiver, passes on what comes for it and keeps that. */
async function recordingBefore(url: string) {
  const posts: Post[] = []
  const recorder = createHttpServer(async (req, res) => {
    const kept = Object.entries(req.headers).filter(([header]) => header.startsWith('webhook-'))
    const post = { headers: Object.fromEntries(kept) as Post['headers'], body: Buffer.concat(await req.toArray()) }
    posts.push(post)
    res.writeHead((await statusOf(url, post)) || 502).end()
  }).listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  return {
    url: `http://127.0.0.1:${(recorder.address() as AddressInfo).port}/hooks`,
    posts,
    async [Symbol.asyncDispose]() {
      recorder.closeAllConnections()
      recorder.close()
      await once(recorder, 'close')
    },
  }
}

/** Signatures of the test's own, of any time: the service signs none that are old, and shows no private key. */
const signatures = {
  v1() {
    const key = randomBytes(32)
    const secret = `whsec_${key.toString('base64')}`
    return { secret, signed: signedBy(text => `v1,${createHmac('sha256', key).update(text).digest('base64')}`) }
  },
  v1a() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const secret = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
    return {
      secret,
      signed: signedBy(text => `v1a,${sign(null, Buffer.from(text), privateKey).toString('base64')}`),
    }
  },
}

const signedBy =
  (signatureOf: (text: string) => string) =>
  ({ ageS, padding = 0 }: { readonly ageS: number; readonly padding?: number }): Post => {
    const body = JSON.stringify({ id: 'evt_x', type: 'task.succeeded', padding: 'x'.repeat(padding) })
    const time = Math.floor(Date.now() / 1_000) - ageS
    const headers = {
      'webhook-id': 'evt_x',
      'webhook-timestamp': String(time),
      'webhook-signature': signatureOf(`evt_x.${time}.${body}`),
    }
    return { headers, body: Buffer.from(body) }
  }

test('the page names the Go library that its receivers are built with', () => {
  const [, library = '', version] = /`go get (github\S+)@(\S+)`/.exec(page) ?? []
  assert.ok(readFileSync(join(goModule, 'go.mod'), 'utf8').includes(`require ${library} ${version}\n`))
})

test('the page shows secrets as they are', async () => {
  const json = { url: 'https://example.com/', events: ['batch.completed'] }
  const { body } = await server.request('POST', '/v1/webhooks', { json })
  for (const [secret] of page.matchAll(/whsec_[\w+/=]+/g)) assert.equal(secret.length, body.secret.length, secret)
})

function goProgram(code: string): string {
  const folder = temporaryFolder('millhand-receiver-')
  writeFileSync(join(folder, 'main.go'), code)
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(goModule, name), join(folder, name))
  execFileSync('go', ['build', '-o', 'receiver', '.'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  return join(folder, 'receiver')
}

/** Resolves once it listens. */
async function startReceiver([program = '', ...words]: readonly string[], env: Record<string, string>, url: string) {
  const child: ChildProcess = spawn(program, words, {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const forget = () => child.kill('SIGKILL')
  process.once('exit', forget)
  const ended = once(child, 'close')
  assert.ok(child.stdout)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const deadline = performance.now() + 300_000
  while (!(await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined))) {
    assert.ok(child.exitCode === null && performance.now() < deadline, 'the receiver does not listen')
    await pause(50)
  }
  return {
    /** The next that it prints. */
    line: async (): Promise<string> => (await lines.next()).value ?? '',
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      process.off('exit', forget)
    },
  }
}
