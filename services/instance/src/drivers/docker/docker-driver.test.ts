import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, afterEach, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Docker, dockerMissing } from '@millhand/test-servers'
import { collected, describeDriver, fault, LIMIT_MS, specOf, until } from '../driver.contract.ts'
import type { Driver } from '../driver.ts'
import { driverOf, images, startDockerWithImages } from './docker.fixture.ts'
import type { DockerDriver } from './docker-driver.ts'

const run = promisify(execFile)

/** BusyBox's own `wget` crashes where it is linked statically. */
const getFrom = (host: string, port: number) =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 3 ${host} ${port} 2>/dev/null`

const opened: DockerDriver[] = []

describeDriver(
  'docker',
  async () => {
    const docker = await startDockerWithImages()
    const reopen = () => {
      const driver = driverOf([docker])
      opened.push(driver)
      return driver
    }
    return {
      driver: reopen(),
      reopen,
      images,
      vanish: async name => void (await docker.docker('rm', '--force', name)),
      loseHost: async () => docker.pause(),
      restoreHost: async () => docker.resume(),
      async close() {
        for (const driver of opened) await driver[Symbol.asyncDispose]()
        await docker[Symbol.asyncDispose]()
      },
    }
  },
  { skip: dockerMissing },
)

describe('the docker driver', { skip: dockerMissing }, () => {
  let docker: Docker
  let driver: DockerDriver
  const signal = () => AbortSignal.timeout(LIMIT_MS)
  const create = async (more: Parameters<typeof specOf>[1] = {}, by: Driver = driver) => {
    const spec = specOf({ images }, more)
    await by.create(spec, { signal: signal() })
    return spec
  }
  const inspect = async (name: string) => JSON.parse(await docker.docker('inspect', name))[0]
  const inside = (name: string, script: string) => docker.docker('exec', name, 'sh', '-c', `${script}; true`)

  before(async () => {
    docker = await startDockerWithImages({ labels: { 'millhand.gpu.h100': '0,1' } })
    driver = driverOf([docker], { publicNetwork: 'public' })
    await docker.docker('network', 'create', '--opt', 'com.docker.network.bridge.enable_icc=false', 'public')
  })
  after(async () => {
    await driver?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    const { replicas } = await driver.list(signal())
    await Promise.all(replicas.map(replica => driver.remove(replica, signal())))
  })

  it('keeps the engine’s record of times through an engine that is killed', async () => {
    const { name } = await create()
    const [before] = (await driver.list(signal())).replicas
    await docker.kill()
    assert.deepEqual((await driver.list(signal())).replicas, [])
    await docker.start()
    const [now] = await until(driver, replicas => replicas.length === 1)
    const { State } = await inspect(name)
    assert.equal(now?.startedAt, before?.startedAt)
    assert.equal(now?.state, State.Running ? 'running' : 'exited')
  })

  it('kills what ignores SIGTERM after the grace time', async () => {
    const { name } = await create({ image: images.ignoresSignals })
    await driver.remove({ name }, signal())
    assert.deepEqual((await driver.list(signal())).replicas, [])
  })

  it('gives a replica the variables and the command that it asks for', async () => {
    const { name } = await create({ command: ['sh', '-c', 'echo $GREETING; exit 3'], env: { GREETING: 'good day' } })
    const [replica] = await until(driver, ([found]) => found?.state === 'exited')
    assert.equal(replica?.exitCode, 3)
    const lines = await collected(driver.logs(name, { follow: true }, signal()))
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['good day'],
    )
  })

  it('tells the streams apart, and cuts long lines', async () => {
    const command = ['sh', '-c', 'echo err >&2; head -c 100000 /dev/zero | tr "\\0" x; echo; echo out']
    const { name } = await create({ command })
    await until(driver, ([found]) => found?.state === 'exited')
    const lines = await collected(driver.logs(name, { follow: false }, signal()))
    assert.deepEqual(
      lines.filter(({ stream }) => stream === 'stderr').map(({ text }) => text),
      ['err'],
    )
    const out = lines.filter(({ stream }) => stream === 'stdout')
    assert.deepEqual(
      out.map(({ text }) => text.length),
      [16_384, 3],
    )
  })

  it('runs an image of the operator alone without a pull, and refuses other registries', async () => {
    const strict = driverOf([docker], {
      images: { registries: ['registry.example.com/acme'], preloaded: [images.runs] },
    })
    await create({}, strict)
    await assert.rejects(create({ image: images.exits }, strict), fault('registry_not_allowed'))
    await assert.rejects(create({ image: 'registry.example.com/acme-corp/x' }, strict), fault('registry_not_allowed'))
    await assert.rejects(create({ image: '127.0.0.1:1/x' }), fault('registry_not_allowed'))
    await assert.rejects(create({ image: 'UPPER case' }), fault('image_not_found'))
    await strict[Symbol.asyncDispose]()
  })

  it('publishes ports on the public network, and says that a port is taken', async () => {
    const command = ['sh', '-c', 'mkdir /tmp/w; echo hello >/tmp/w/index.html; httpd -f -p 8080 -h /tmp/w']
    await create({ command, ports: [{ port: 8080 }] })
    const [replica] = (await driver.list(signal())).replicas
    const [published] = replica?.ports ?? []
    assert.equal(published?.port, 8080)
    const [client, ...words] = docker.inNetwork('sh', '-c', getFrom('127.0.0.1', published?.hostPort as number))
    // Its server needs a moment.
    for (const limit = signal(); !/hello\n$/.test((await run(client, words)).stdout); ) limit.throwIfAborted()
    const taken = { command, ports: [{ port: 8080, hostPort: published?.hostPort as number }] }
    await assert.rejects(create(taken), fault('port_taken'))
    assert.equal((await driver.list(signal())).replicas.length, 1)
  })

  it('publishes no ports, and starts no executors, where the operator has made no network that keeps replicas apart', async () => {
    await docker.docker('network', 'create', 'open')
    for (const publicNetwork of ['open', 'none-of-these']) {
      const careless = driverOf([docker], { publicNetwork })
      await assert.rejects(create({ ports: [{ port: 80 }] }, careless), fault('ports_unsupported'))
      await careless[Symbol.asyncDispose]()
    }
    for (const network of [{}, { executorNetwork: 'open' }, { executorNetwork: 'none-of-these' }]) {
      const careless = driverOf([docker], network)
      await assert.rejects(create({ isExecutor: true }, careless), fault('executors_unsupported'))
      await careless[Symbol.asyncDispose]()
    }
    assert.deepEqual((await driver.list(signal())).replicas, [])
  })

  it('asks for one GPU of its own for each replica', async () => {
    assert.deepEqual(
      (await driver.capacity(signal())).map(({ gpu, total }) => [gpu, gpu === 'cpu' ? total > 2 : total]),
      [
        ['cpu', true],
        ['h100', 2],
      ],
    )
    // The engine has no driver for GPUs, which is as far as this machine goes.
    await assert.rejects(create({ gpu: 'h100' }), fault('no_capacity'))
  })

  it('leaves containers of other deployments alone', async () => {
    const other = driverOf([docker], { deployment: 'other' })
    const spec = await create({}, other)
    assert.deepEqual((await driver.list(signal())).replicas, [])
    await driver.remove({ name: spec.name }, signal())
    assert.equal((await other.list(signal())).replicas.length, 1)
    await other.remove({ name: spec.name }, signal())
    await other[Symbol.asyncDispose]()
  })

  it('starts a replica that a call which broke off has only made', async () => {
    const { name, ...rest } = await create()
    const spec = { name, ...rest }
    const labels = Object.entries((await inspect(name)).Config.Labels).flatMap(([key, value]) => [
      '--label',
      `${key}=${value}`,
    ])
    await docker.docker('rm', '--force', name)
    await docker.docker('create', '--name', name, '--network', 'none', ...labels, images.runs)
    assert.equal((await driver.list(signal())).replicas[0]?.state, 'creating')
    await driver.create(spec, { signal: signal() })
    assert.equal((await driver.list(signal())).replicas[0]?.state, 'running')
  })

  it('keeps tenants apart, and lets replicas of one tenant reach each other', async () => {
    const serve = ['sh', '-c', 'mkdir /tmp/w; echo hello >/tmp/w/index.html; httpd -f -p 8080 -h /tmp/w']
    const server = await create({ command: serve, tenant: 'acct_1/live', instance: 'inst_server' })
    const mate = await create({ tenant: 'acct_1/live' })
    const stranger = await create({ tenant: 'acct_2/live' })
    const address = Object.values<{ IPAddress: string }>((await inspect(server.name)).NetworkSettings.Networks)[0]
      ?.IPAddress
    const fetch = (from: string, to: string) => inside(from, getFrom(to, 8080))
    assert.match(await fetch(mate.name, server.name), /hello\n$/)
    assert.match(await fetch(mate.name, server.instance), /hello\n$/)
    assert.equal(await fetch(stranger.name, server.name), '')
    assert.equal(await fetch(stranger.name, address as string), '')
  })
})

describe('the docker driver with several hosts', { skip: dockerMissing }, () => {
  it('uses the host with most room, and counts on no host that is lost', async () => {
    const signal = () => AbortSignal.timeout(LIMIT_MS)
    await using one = await startDockerWithImages()
    await using two = await startDockerWithImages()
    await using driver = driverOf([one, two])
    const hostOf = async (more = {}) => (await driver.create(specOf({ images }, more), { signal: signal() })).host
    const first = await hostOf()
    const second = await hostOf()
    assert.deepEqual(new Set([first, second]), new Set([one.address, two.address]))
    two.pause()
    const { replicas, lostHosts } = await driver.list(signal())
    assert.deepEqual([replicas.map(({ host }) => host), lostHosts], [[one.address], [two.address]])
    assert.equal(await hostOf(), one.address)
    two.resume()
    const all = await until(driver, found => found.length === 3)
    for (const replica of all) await driver.remove(replica, signal())
  })
})
