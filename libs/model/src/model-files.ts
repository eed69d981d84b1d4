/** Where a model's files are, and the digest over them. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { excerpt } from './excerpt.ts'
import { ManifestInvalid } from './manifest-fields.ts'

const PACKAGE = 'package:'
/** Larger files are hashed as a stream and not looked into; their manifest declares inputs and outputs. */
const READ_WHOLE_BYTES = 64 * 2 ** 20

/**
 * The absolute path of a file that a manifest names: inside the model's folder, or `package:<npm package>/<path>` inside
 * a package installed where Node would find it from that folder. Throws `ManifestInvalid`.
 */
export async function resolveFile(folder: string, reference: string): Promise<string> {
  const root = reference.startsWith(PACKAGE) ? await packageFolder(folder, reference) : await realpath(folder)
  const path = reference.startsWith(PACKAGE) ? split(reference).path : reference
  const found = await realpath(join(root, path)).catch(() => {
    throw new ManifestInvalid(`the file ${excerpt(reference)} is not there`)
  })
  // Not by how it begins: `..data` may be inside, and is where Kubernetes mounts a ConfigMap.
  if (relative(root, found).split(sep)[0] === '..')
    throw new ManifestInvalid(`the file ${excerpt(reference)} leads outside`)
  if (!(await stat(found)).isFile()) throw new ManifestInvalid(`${excerpt(reference)} is not a file`)
  return found
}

/** The bytes of a file, unless it is larger than `READ_WHOLE_BYTES`, and its SHA-256. */
export async function digestFile(path: string): Promise<{ sha256: string; bytes: Uint8Array | undefined }> {
  if ((await stat(path)).size <= READ_WHOLE_BYTES) {
    const bytes = await readFile(path)
    return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes }
  }
  const hash: Hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return { sha256: hash.digest('hex'), bytes: undefined }
}

/** `sha256:…` over the manifest's text and the files' digests by name. */
export function versionOf(manifest: string, digests: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(createHash('sha256').update(manifest).digest('hex'))
  for (const [name, digest] of [...digests].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`\n${name} ${digest}`)
  return `sha256:${hash.digest('hex')}`
}

function split(reference: string): { name: string; path: string } {
  const found = /^((?:@[\w.-]+\/)?[\w.-]+)\/(.+)$/.exec(reference.slice(PACKAGE.length))
  if (!found) throw new ManifestInvalid(`${excerpt(reference)} must be package:<name>/<path>`)
  return { name: found[1] as string, path: found[2] as string }
}

async function packageFolder(folder: string, reference: string): Promise<string> {
  const { name } = split(reference)
  let at = await realpath(folder)
  for (;;) {
    const found = await realpath(join(at, 'node_modules', name)).catch(() => undefined)
    if (found !== undefined) return found
    const above = dirname(at)
    if (above === at) throw new ManifestInvalid(`the package ${excerpt(name)} is not installed`)
    at = above
  }
}
