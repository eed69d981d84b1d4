import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { type Docker, dockerMissing } from '@millhand/test-servers'
import { LIMIT_MS, specOf } from '../driver.contract.ts'
import type { ReplicaSpec } from '../driver.ts'
import { driverOf, images, startDockerWithImages } from './docker.fixture.ts'
import type { DockerDriver } from './docker-driver.ts'
import { labelsOf } from './labels.ts'

describe('networks of tenants', { skip: dockerMissing }, () => {
  let docker: Docker
  let driver: DockerDriver
  /** A second owner of the same host, as in the moments of a takeover. */
  let other: DockerDriver
  const signal = () => AbortSignal.timeout(LIMIT_MS)

  before(async () => {
    docker = await startDockerWithImages()
    driver = driverOf([docker])
    other = driverOf([docker])
  })
  after(async () => {
    await driver?.[Symbol.asyncDispose]()
    await other?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    const { replicas } = await driver.list(signal())
    for (const replica of replicas) await driver.remove(replica, signal())
  })

  async function create(by: DockerDriver = driver, more: Partial<ReplicaSpec> = {}): Promise<ReplicaSpec> {
    const spec = specOf({ images }, more)
    await by.create(spec, { signal: signal() })
    return spec
  }

  const left = async (kind: string, ...words: readonly string[]) => {
    const list = [kind, 'ls', '--quiet', ...words, '--filter', 'label=millhand.deployment=test']
    return (await docker.docker(...list)).split('\n').filter(Boolean)
  }
  const networks = () => left('network', '--no-trunc')
  const networksOf = async ({ name }: Pick<ReplicaSpec, 'name'>) => {
    const [{ NetworkSettings }] = JSON.parse(await docker.docker('inspect', name))
    return Object.values<{ NetworkID: string }>(NetworkSettings.Networks).map(({ NetworkID }) => NetworkID)
  }
  const labelled = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).flatMap(([label, value]) => ['--label', `${label}=${value}`])
  const ofTenant = labelled({ 'millhand.deployment': 'test', 'millhand.tenant': 'acct_1/live' })

  it('are one where two processes have made two: the older, and the younger goes', async () => {
    const first = await create()
    const [older] = await networks()
    await docker.docker('network', 'create', '--internal', ...ofTenant, 'younger')
    const second = await create()
    assert.deepEqual(await networks(), [older])
    assert.deepEqual([await networksOf(first), await networksOf(second)], [[older], [older]])
  })

  it('are one where the younger had a replica before the older was shown: the younger, and the older goes', async () => {
    await docker.docker('network', 'create', '--internal', ...ofTenant, 'older')
    const younger = (await docker.docker('network', 'create', '--internal', ...ofTenant, 'younger')).trim()
    const labels = labelled(labelsOf('test', specOf({ images }), []))
    await docker.docker('run', '--detach', '--name', 'first', '--network', 'younger', ...labels, images.runs)
    const second = await create()
    assert.deepEqual(await networks(), [younger])
    assert.deepEqual([await networksOf({ name: 'first' }), await networksOf(second)], [[younger], [younger]])
  })

  it('are one each where two processes start the first replicas of a tenant at once', async () => {
    const tenants = ['acct_1/live', 'acct_2/live', 'acct_3/live', 'acct_4/live']
    for (const tenant of tenants) {
      const started = await Promise.all([driver, other, other].map(owner => create(owner, { tenant })))
      const used = (await Promise.all(started.map(networksOf))).flat()
      assert.deepEqual([used.length, new Set(used).size], [3, 1], tenant)
    }
    assert.equal((await networks()).length, tenants.length)
  })

  it('go with the last replica', async () => {
    const { name } = await create()
    assert.equal((await networks()).length, 1)
    await driver.remove({ name }, signal())
    assert.deepEqual(await networks(), [])
  })

  it('go with the volumes where the last replica vanished, or the removal broke off', async () => {
    const gone = async () => {
      for (const limit = signal(); (await networks()).length + (await left('volume')).length > 0; )
        limit.throwIfAborted()
    }
    // Of an owner that died after it had removed the replica.
    await docker.docker('network', 'create', ...ofTenant, 'left')
    await docker.docker('volume', 'create', ...ofTenant, 'left')
    await using next = driverOf([docker])
    using _ = next.watch(() => {})
    await gone()
    const { name } = await create(next)
    await docker.docker('rm', '--force', name)
    await gone()
  })
})
