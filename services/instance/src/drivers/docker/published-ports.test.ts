/** The network of published ports with the firewall that `docs/instances-operators.md` gives operators, run as it stands there. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type Docker, dockerMissing } from '@millhand/test-servers'
import { LIMIT_MS, specOf } from '../driver.contract.ts'
import { driverOf, images, startDockerWithImages } from './docker.fixture.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('../../../../../docs/instances-operators.md', import.meta.url), 'utf8')
const signal = () => AbortSignal.timeout(LIMIT_MS)

const HOST_PORT = 8099
/** Of a network of the operator's (RFC 5737) behind the host. */
const BEHIND = '203.0.113.9'

async function onHost(docker: Docker, ...words: readonly string[]): Promise<string> {
  const [program, ...rest] = docker.inNetwork(...words)
  return (await run(program, rest)).stdout
}

/** What a server answers, asked from the host, or by `docker exec` from a replica. */
const asked = (address: string, port: number) => ['sh', '-c', `echo | busybox nc -w 3 ${address} ${port} || true`]

test('a replica with published ports answers, and reaches neither the host nor what is behind it', {
  skip: dockerMissing,
}, async () => {
  await using docker = await startDockerWithImages()
  await using driver = driverOf([docker], { publicNetwork: 'millhand-public' })
  const { network, rules } = documentedCommands()
  assert.equal(rules.length, 2)
  await docker.docker(...network.slice(1))
  const command = ['sh', '-c', 'while :; do echo hello | nc -l -p 8080; done']
  const spec = specOf({ images }, { command, ports: [{ port: 8080 }] })
  await driver.create(spec, { signal: signal() })
  const [host] = JSON.parse(await docker.docker('network', 'inspect', 'millhand-public'))[0].IPAM.Config
  const fromReplica = (address: string, port: number) => docker.docker('exec', spec.name, ...asked(address, port))
  using _ = await serverOnHost(docker)
  await onHost(docker, 'busybox', 'ip', 'route', 'add', '203.0.113.0/24', 'dev', 'mh-public')

  assert.equal(await fromReplica(host.Gateway, HOST_PORT), 'of the host\n', 'without the rules it does reach the host')
  for (const rule of rules) await onHost(docker, ...rule)
  assert.equal(await fromReplica(host.Gateway, HOST_PORT), '')
  await fromReplica(BEHIND, 80)
  const counted = await onHost(docker, 'iptables', '-L', 'DOCKER-USER', '-v', '-x', '-n')
  assert.match(counted, /^\s*[1-9]\d* .* DROP .*mh-public/m, 'nothing that it begins is passed on')

  const [published] = (await driver.list(signal())).replicas[0]?.ports ?? []
  for (
    const limit = signal();
    (await onHost(docker, ...asked(host.Gateway, Number(published?.hostPort)))) !== 'hello\n';
  )
    limit.throwIfAborted()
})

/** The commands of the page that make the network and its rules, as words. */
function documentedCommands() {
  const block = /```sh no-run\n(docker network create [^`]*millhand-public\n[^`]*)```/.exec(page)?.[1] ?? ''
  const [network = [], ...rules] = block
    .replaceAll('\\\n', ' ')
    .trim()
    .split('\n')
    .map(line => line.split(/\s+/))
  return { network, rules }
}

async function serverOnHost(docker: Docker): Promise<Disposable> {
  const script = `require('node:net').createServer(socket => socket.end('of the host\\n')).listen(${HOST_PORT}, '0.0.0.0', () => console.log('listening'))`
  const [program, ...words] = docker.inNetwork(process.execPath, '-e', script)
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') }
}
