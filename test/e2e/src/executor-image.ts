/** The image of executors, and the way from its containers to compute. Made without a registry. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { busyboxRoot, type Docker } from '@millhand/test-servers'
import { repository, temporaryFolder } from './server.ts'

const run = promisify(execFile)

export const EXECUTOR_IMAGE = 'millhand-test/executor'
export const EXECUTOR_NETWORK = 'executors'
export const COMPUTE_ADDRESS = '10.99.0.1'
export const COMPUTE_PORT = 8081

/** What is needed by no executor, and large. */
const UNUSED = ['@duckdb', 'echarts@', 'node-llama-cpp', '@node-llama-cpp', '@fontsource', 'swagger-ui-dist', 'pyodide']

/** Node, a shell, and the checkout with what it depends on. Takes about 20 s, most of it in the engine. */
export async function importExecutorImage(docker: Docker, models: string): Promise<void> {
  const root = await busyboxRoot()
  try {
    await addNode(root)
    await chmod(join(root, 'tmp'), 0o1777) // The engine gives the mode of a folder to what it mounts there.
    const home = join(root, 'millhand')
    for (const file of await sourceFiles()) await cp(join(repository, file), join(home, file))
    const install = ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prod', '--prefer-offline', '--ignore-scripts']
    await run('npx', install, { cwd: home })
    const { stdout: installed } = await run('ls', [join(home, 'node_modules/.pnpm')])
    const unused = installed.split('\n').filter(name => UNUSED.some(prefix => name.startsWith(prefix)))
    for (const name of unused) await rm(join(home, 'node_modules/.pnpm', name), { recursive: true })
    await cp(models, join(root, 'models'), { recursive: true })
    const command = ['/bin/node', '--disable-warning=ExperimentalWarning', 'deploy/src/serve.ts', 'instance-executor']
    await docker.importImage(root, EXECUTOR_IMAGE, [
      'ENV PATH=/bin',
      'ENV MILLHAND_MODELS_DIR=/models',
      'ENV MILLHAND_EXECUTOR_SLOTS=2',
      'WORKDIR /millhand',
      'USER 1000:1000',
      `ENTRYPOINT ${JSON.stringify(command)}`,
    ])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Node with the libraries that it and its add-ons load. */
async function addNode(root: string): Promise<void> {
  await cp(process.execPath, join(root, 'bin/node'))
  const { stdout } = await run('ldd', [process.execPath])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path as string)
  const others = ['librt.so.1'].map(name => join(dirname(libraries[0] as string), name))
  for (const path of [...libraries, ...others])
    await cp(path, join(root, path), { dereference: true }).catch(error => {
      if (!others.includes(path)) throw error
    })
  await writeFile(join(root, 'etc/passwd'), 'executor:x:1000:1000::/tmp:/bin/sh\n')
}

/** What `deploy/Dockerfile` takes of the checkout. */
async function sourceFiles(): Promise<string[]> {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await run('git', words, { cwd: repository, maxBuffer: 2 ** 26 })
  const parts =
    /^(package\.json|pnpm-|patches\/|proto\/package\.json|test\/[^/]+\/package\.json|(deploy|gateway|libs|services)\/)/
  const unused = /\.test\.ts$|\/fixtures\/|^deploy\/optional-models\//
  return stdout.split('\0').filter(file => parts.test(file) && !unused.test(file))
}

/** The network of executors, with the firewall as docs/instances-operators.md has it, and behind its one port a server of the test's machine. */
export async function startExecutorNetwork(docker: Docker, port: number): Promise<AsyncDisposable> {
  const option = [
    '--opt',
    'com.docker.network.bridge.enable_icc=false',
    '--opt',
    'com.docker.network.bridge.name=mh-exec',
  ]
  const subnet = ['--subnet', '10.99.0.0/24', '--gateway', COMPUTE_ADDRESS]
  await docker.docker('network', 'create', ...option, ...subnet, EXECUTOR_NETWORK)
  const allowed = ['-p', 'tcp', '-d', COMPUTE_ADDRESS, '--dport', String(COMPUTE_PORT)]
  for (const rule of [
    ['-I', 'INPUT', '-i', 'mh-exec', '-j', 'DROP'],
    ['-I', 'INPUT', '-i', 'mh-exec', ...allowed, '-j', 'ACCEPT'],
    ['-I', 'DOCKER-USER', '-i', 'mh-exec', '-j', 'DROP'],
  ]) {
    const [program, ...words] = docker.inNetwork('iptables', ...rule)
    await run(program, words)
  }
  return await relay(docker, port)
}

/** From the engine's network, which is apart from that of the machine, by a socket in the file system. */
async function relay(docker: Docker, port: number): Promise<AsyncDisposable> {
  const folder = temporaryFolder('millhand-relay-')
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'socket')
  const server = createServer(socket => joinSockets(socket, connect(port, '127.0.0.1')))
  server.listen(path)
  await once(server, 'listening')
  const script = `const net = require('node:net')
net.createServer(a => {
  const b = net.connect(${JSON.stringify(path)})
  a.pipe(b).pipe(a)
  for (const [one, other] of [[a, b], [b, a]]) one.on('error', () => other.destroy()).on('close', () => other.destroy())
}).listen(${COMPUTE_PORT}, '0.0.0.0', () => console.log('listening'))`
  const [program, ...words] = docker.inNetwork(process.execPath, '-e', script)
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function joinSockets(a: Socket, b: Socket): void {
  a.pipe(b).pipe(a)
  a.on('error', () => b.destroy()).on('close', () => b.destroy())
  b.on('error', () => a.destroy()).on('close', () => a.destroy())
}
