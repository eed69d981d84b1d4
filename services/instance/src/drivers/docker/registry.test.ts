/** Images from a real registry that asks for a credential. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  busyboxRoot,
  type Docker,
  dockerMissing,
  registryMissing,
  registryUser,
  startDocker,
  startRegistry,
} from '@millhand/test-servers'
import { fault, LIMIT_MS, specOf } from '../driver.contract.ts'
import type { CreateOptions, ReplicaSpec } from '../driver.ts'
import { driverOf } from './docker.fixture.ts'

const skip = dockerMissing || registryMissing
const registries = ['127.0.0.1:5000/acme']
/** Of its one layer, about: busybox is 2 MB of it, and half of that as it is sent. */
const BYTES = { sent: 5_100_000, unpacked: 6_000_000 }

describe('an image of a registry', { skip }, () => {
  let docker: Docker
  let registry: Awaited<ReturnType<typeof startRegistry>>
  let image: string

  before(async () => {
    docker = await startDocker()
    registry = await startRegistry(docker)
    const root = await busyboxRoot()
    // Its layer is as large as it is: this does not compress.
    await writeFile(join(root, 'data', 'noise'), randomBytes(4_000_000))
    const command = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done']
    await docker.importImage(root, 'server', [`ENTRYPOINT ${JSON.stringify(command)}`])
    await rm(root, { recursive: true })
    image = await registry.push('server', 'acme/server:1')
  })
  after(async () => {
    await registry?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })

  /** Creates a replica, and removes it again. */
  async function created(more: Partial<ReplicaSpec>, mostBytes?: number, onPull: CreateOptions['onPull'] = () => {}) {
    const images = { registries, ...(mostBytes !== undefined && { mostBytes }) }
    await using driver = driverOf([docker], { images })
    const signal = AbortSignal.timeout(LIMIT_MS)
    const spec = specOf({ images: { runs: image } as never }, { image, ...more })
    await driver.create(spec, { signal, onPull })
    const [replica] = (await driver.list(signal)).replicas
    assert.equal(replica?.state, 'running')
    await driver.remove(spec, signal)
  }
  const removeImage = () => docker.docker('rmi', '--force', image).catch(() => {})

  it('runs by its credential, and says how far the pull is', async () => {
    const told: number[] = []
    await created({ registryCredential: registryUser }, undefined, ({ totalBytes }) => told.push(totalBytes))
    assert.ok(
      told.some(bytes => bytes > 0),
      `${told}`,
    )
  })

  it('is refused to who has no credential or a wrong one, also once it is on the host', async () => {
    await created({ registryCredential: registryUser })
    const wrong = { ...registryUser, password: 'guessed' }
    await assert.rejects(created({ registryCredential: wrong }), fault('image_denied'))
    await assert.rejects(created({}), fault('image_denied'))
  })

  it('is refused where it is larger than images may be, as it is sent and unpacked, and leaves nothing on the host', async () => {
    for (const mostBytes of [BYTES.sent - 500_000, (BYTES.sent + BYTES.unpacked) / 2]) {
      await removeImage()
      await assert.rejects(created({ registryCredential: registryUser }, mostBytes), fault('image_too_large'))
      assert.equal(await docker.docker('images', '--quiet'), '')
    }
  })

  it('is not found where the registry has none of the name', async () => {
    const other = { image: image.replace(/:1$/, ':2'), registryCredential: registryUser }
    await assert.rejects(created(other), fault('image_not_found'))
  })

  it('can not be had while the registry is down', async () => {
    await registry.kill()
    await assert.rejects(created({ registryCredential: registryUser }), fault('registry_unavailable'))
    await registry.start()
    await created({ registryCredential: registryUser })
  })
})
