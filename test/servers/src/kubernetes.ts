/**
 * A real Kubernetes API server over etcd, and the scheduler where it is asked for. There is no kubelet and no controller: what those
 * write, a test writes. Both servers are built from the modules of Kubernetes once, into the user's cache.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createAuthority } from './certificates.ts'
import { hasVersion, missing, printed } from './missing.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

const run = promisify(execFile)

/** `stop`, `kill` and the like are the API server's; etcd and the scheduler live on. */
export interface Kubernetes extends ServerProcess {
  readonly url: string
  /** The path of a configuration file of a cluster administrator. */
  readonly kubeconfig: string
  /** PEM: the authority of the API server's certificate. */
  readonly ca: string
  /** The bearer token of the administrator. */
  readonly token: string
  readonly etcd: ServerProcess
}

export interface KubernetesOptions {
  /** Further flags of the API server. */
  readonly flags?: readonly string[]
}

const VERSION = '1.37.2'

/** Why suites that need it skip: false where it can be built and started, and under CI, where nothing skips. */
export const kubernetesMissing: string | false = missing(
  'needs Go 1.26 or later, etcd 3.4 or later and OpenSSL (Debian: etcd-server, openssl)',
  () =>
    hasVersion(printed('go', ['env', 'GOVERSION'], { GOTOOLCHAIN: 'local' }), 1, 26) &&
    hasVersion(printed('etcd', ['--version']), 3, 4) &&
    printed('openssl', ['version']) !== '',
)

/** An empty cluster. Takes about 6 s; the first time it builds the servers, which takes 7 CPU minutes. */
export async function startKubernetes({ flags = [] }: KubernetesOptions = {}): Promise<Kubernetes> {
  const bin = await kubernetesServers()
  const folder = await mkdtemp(join(tmpdir(), 'millhand-kubernetes-'))
  const [port, clients, peers, scheduling] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const token = crypto.randomUUID()
  const ca = await writeFiles(folder, { url, token })
  const started: ServerProcess[] = []
  const dispose = async () => {
    for (const server of started.toReversed()) await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const etcd = await startProcess(`127.0.0.1:${clients}`, () => etcdWords(folder, clients, peers), /ready to serve/)
    started.push(etcd)
    const words = () => [join(bin, 'kube-apiserver'), ...apiServerFlags(folder, port, etcd.address), ...flags]
    const server = await startProcess(`127.0.0.1:${port}`, words, /Serving securely/)
    started.push(server)
    const ready = () => waitUntilReady(server, url, { ca, token })
    await ready()
    started.push(await startProcess('', () => schedulerWords(bin, folder, scheduling), /Serving securely/))
    return Object.create(server, {
      ...{ url: { value: url }, ca: { value: ca }, token: { value: token }, etcd: { value: etcd } },
      kubeconfig: { value: join(folder, 'kubeconfig') },
      start: { value: () => server.start().then(ready) },
      [Symbol.asyncDispose]: { value: dispose },
    })
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Certificates, keys, the administrator's token, and the configuration file. Returns the authority's certificate. */
async function writeFiles(folder: string, { url, token }: { url: string; token: string }): Promise<string> {
  const authority = createAuthority('kubernetes')
  const { cert, key } = authority.issue(['127.0.0.1'])
  await run('openssl', ['genrsa', '-out', join(folder, 'accounts.key'), '2048'])
  const files = {
    'ca.pem': authority.ca,
    'server.pem': cert,
    'server.key': key,
    'tokens.csv': `${token},admin,1,"system:masters"\n`,
    kubeconfig: JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
      clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': 'ca.pem' } }],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    }),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 })
  return authority.ca
}

const etcdWords = (folder: string, clients: number, peers: number): string[] => [
  'etcd',
  ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
  ...['--listen-client-urls', `http://127.0.0.1:${clients}`, '--advertise-client-urls', `http://127.0.0.1:${clients}`],
  ...['--listen-peer-urls', `http://127.0.0.1:${peers}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peers}`],
  ...['--initial-cluster', `default=http://127.0.0.1:${peers}`],
]

const apiServerFlags = (folder: string, port: number, etcd: string): string[] => [
  `--etcd-servers=http://${etcd}`,
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  `--tls-cert-file=${join(folder, 'server.pem')}`,
  `--tls-private-key-file=${join(folder, 'server.key')}`,
  `--service-account-key-file=${join(folder, 'accounts.key')}`,
  `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
  '--service-account-issuer=https://kubernetes.default.svc',
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.96.0.0/16',
  '--endpoint-reconciler-type=none',
  // As in every cluster: what is allowed in a namespace, its policy says.
  '--allow-privileged=true',
  // It wants accounts that only the controller manager makes.
  '--disable-admission-plugins=ServiceAccount',
]

const schedulerWords = (bin: string, folder: string, port: number): string[] => [
  join(bin, 'kube-scheduler'),
  ...['--kubeconfig', join(folder, 'kubeconfig'), '--leader-elect=false'],
  ...['--bind-address=127.0.0.1', `--secure-port=${port}`],
]

/** It listens before it serves. */
async function waitUntilReady(server: ServerProcess, url: string, secured: { ca: string; token: string }) {
  const status = () =>
    new Promise<number>(resolve => {
      const asked = request(`${url}/readyz`, {
        ca: secured.ca,
        headers: { authorization: `Bearer ${secured.token}` },
        agent: false,
      })
      asked.once('response', answer => resolve(answer.resume().statusCode ?? 0))
      asked.once('error', () => resolve(0)).end()
    })
  while ((await status()) !== 200) {
    if (!isAlive(server.pid)) throw new Error(`kube-apiserver ended before it served:\n${server.log()}`)
    await setTimeout(50)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The folder with the built servers: made once, whole or not at all, also when several tests ask at the same time. */
async function kubernetesServers(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-tools')
  const folder = join(cache, `kubernetes-${VERSION}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${folder}.making-`)
  const source = await mkdtemp(join(tmpdir(), 'millhand-kubernetes-build-'))
  try {
    await build(source, making)
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error // Else another test was faster.
  } finally {
    await rm(source, { recursive: true, force: true })
  }
  return folder
}

/**
 * `go install` refuses a module with `replace` lines, and Kubernetes' lead into a folder that its published module lacks. So a module
 * of our own replaces the same modules by their published versions.
 */
async function build(source: string, target: string): Promise<void> {
  const options = { cwd: source, env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }, maxBuffer: 2 ** 26 }
  const { stdout } = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${VERSION}`], options)
  const { stdout: edited } = await run('go', ['mod', 'edit', '-json', JSON.parse(stdout).GoMod], options)
  const { Go, Replace }: { Go: string; Replace: readonly { Old: { Path: string } }[] } = JSON.parse(edited)
  const staged = Replace.map(({ Old }) => `replace ${Old.Path} => ${Old.Path} v0${VERSION.slice(1)}`)
  const lines = ['module millhand.test/kubernetes', `go ${Go}`, `require k8s.io/kubernetes v${VERSION}`, ...staged]
  await writeFile(join(source, 'go.mod'), lines.join('\n'))
  const commands = ['kube-apiserver', 'kube-scheduler'].map(name => `k8s.io/kubernetes/cmd/${name}`)
  await writeFile(
    join(source, 'tools.go'),
    `//go:build tools\npackage tools\nimport (\n${commands.map(command => `_ "${command}"`).join('\n')}\n)\n`,
  )
  await run('go', ['mod', 'tidy'], options)
  const version = 'k8s.io/component-base/version'
  const [major, minor] = VERSION.split('.')
  const flags = [`${version}.gitVersion=v${VERSION}`, `${version}.gitMajor=${major}`, `${version}.gitMinor=${minor}`]
  const ldflags = `-s -w ${flags.map(flag => `-X ${flag}`).join(' ')}`
  await run('go', ['build', '-trimpath', '-ldflags', ldflags, '-o', `${target}/`, ...commands], options)
}
