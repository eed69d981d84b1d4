/** A registry of images (https://distribution.github.io/distribution), in the network of an engine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Docker } from './docker.ts'
import { missing, printed } from './missing.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

/** Why suites that need it skip: false where a registry can be started, and under CI, where nothing skips. */
export const registryMissing: string | false = missing(
  'needs docker-registry 2.7 or later (Debian: docker-registry)',
  () => /registry/.test(printed('docker-registry', ['--version'])),
)

/** An account of the registry. */
export const registryUser = { username: 'acme', password: 'open-sesame' }
/** `password` by bcrypt, with the least work that it allows. */
const HASH = '$2a$04$AE7nHrzsh83bjz9/nzAE0O5UYk.64uVY5HB24oo.b1UI/hQPonf9K'
/** Of the engine's own network, so that no other test has it. Engines trust one on their own machine without a certificate. */
const ADDRESS = '127.0.0.1:5000'

export interface Registry extends ServerProcess {
  /** Puts an image of the engine into the registry, and takes it from the engine. Returns its new reference. */
  push(image: string, repository: string): Promise<string>
}

/** Only `registryUser` may read and write. */
export async function startRegistry(docker: Docker): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-registry-'))
  // `config.json` is the name that Docker's client looks for in its folder.
  const [users, config, credentials] = ['users', 'registry.json', 'config.json'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const auth = Buffer.from(Object.values(registryUser).join(':')).toString('base64')
  await writeFile(credentials, JSON.stringify({ auths: { [ADDRESS]: { auth } } }))
  await writeFile(users, `${registryUser.username}:${HASH}\n`)
  await writeFile(
    config,
    JSON.stringify({
      version: 0.1,
      storage: { filesystem: { rootdirectory: join(folder, 'data') } },
      http: { addr: ADDRESS },
      auth: { htpasswd: { realm: 'test', path: users } },
    }),
  )
  const server = await startProcess(ADDRESS, () => docker.inNetwork('docker-registry', 'serve', config), /listening on/)
  return Object.create(server, {
    push: {
      value: async (image: string, repository: string) => {
        const reference = `${ADDRESS}/${repository}`
        await docker.docker('tag', image, reference)
        await docker.docker('--config', folder, 'push', reference)
        await docker.docker('rmi', '--force', reference, image)
        return reference
      },
    },
    [Symbol.asyncDispose]: {
      value: async () => {
        await server.kill()
        await rm(folder, { recursive: true, force: true })
      },
    },
  })
}
