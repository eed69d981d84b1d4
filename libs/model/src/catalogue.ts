/** The models of this deployment: folders that hold a `model.json` each. */
import { lstat, open, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { toDataUri } from './data-uri.ts'
import { excerpt } from './excerpt.ts'
import { type Manifest, parseManifest, type TensorSpec } from './manifest.ts'
import { ManifestInvalid } from './manifest-fields.ts'
import { digestFile, resolveFile, versionOf } from './model-files.ts'
import { OnnxInvalid, readOnnx } from './onnx-file.ts'
import { outputSchema } from './output-schema.ts'

/** A model that can be run. */
export interface ModelPackage {
  readonly status: 'ready'
  /** What tasks name it by: the name of its folder. */
  readonly id: string
  readonly ownedBy: string
  readonly manifest: Manifest
  /** Absolute paths by the manifest's names. */
  readonly files: Readonly<Record<string, string>>
  /** Set where those are copies that nobody else may read, which are lent to a process while it loads. */
  readonly isCopy?: true
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  /** What its outputs look like: the text of a JSON Schema (2020-12). */
  readonly outputSchema: string
  readonly exampleInput: string | undefined
  /** `sha256:` and 64 hexadecimal digits over the manifest and the files. */
  readonly version: string
  /** When the manifest was last written. */
  readonly createdAt: Date
}

/** A folder whose model cannot be used. */
export interface BrokenModel {
  readonly status: 'broken'
  readonly id: string
  readonly ownedBy: string
  /** Why, for the operator and for callers: no paths of this machine. */
  readonly problem: string
  readonly createdAt: Date
}

export type CatalogueEntry = ModelPackage | BrokenModel

export interface Catalogue {
  get(id: string): CatalogueEntry | undefined
  /** Sorted by id. */
  list(): readonly CatalogueEntry[]
}

export interface ModelsFolder {
  readonly path: string
  /** `millhand`, `operator` or an account. */
  readonly ownedBy: string
}

const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/
const MANIFEST = 'model.json'
const MAX_EXAMPLE_BYTES = 32 * 2 ** 10

/**
 * Reads every model of the folders; where two have the same id, the later folder's is taken. Folders without a
 * `model.json` are passed over. A model that is broken is listed as such. Rejects when a folder cannot be read.
 */
export async function loadCatalogue(folders: readonly ModelsFolder[]): Promise<Catalogue> {
  const found = await Promise.all(folders.map(loadFolder))
  const entries = new Map(found.flat().map(entry => [entry.id, entry]))
  const sorted = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return { get: id => entries.get(id), list: () => sorted }
}

async function loadFolder({ path, ownedBy }: ModelsFolder): Promise<CatalogueEntry[]> {
  const children = await readdir(path, { withFileTypes: true })
  const names = children.filter(child => !child.isFile() && !child.name.startsWith('.')).map(child => child.name)
  const entries = await Promise.all(names.map(name => loadEntry(resolve(path), name, ownedBy)))
  return entries.filter(entry => entry !== undefined)
}

async function loadEntry(parent: string, id: string, ownedBy: string): Promise<CatalogueEntry | undefined> {
  const folder = join(parent, id)
  const written = await lstat(join(folder, MANIFEST)).catch(() => undefined)
  if (!written) return undefined
  const createdAt = written.mtime
  try {
    if (!ID.test(id)) throw new ManifestInvalid('its folder must be named in lower-case letters, digits, `.`, `_`, `-`')
    return { status: 'ready', id, ownedBy, createdAt, ...(await readPackage(folder)) }
  } catch (error) {
    const known = error instanceof ManifestInvalid || error instanceof OnnxInvalid
    const problem = known ? error.message : `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`
    return { status: 'broken', id, ownedBy, createdAt, problem }
  }
}

async function readPackage(folder: string) {
  const text = await readFile(await resolveFile(folder, MANIFEST), 'utf8')
  const manifest = parseManifest(text)
  const digests = new Map<string, string>()
  const files: Record<string, string> = {}
  let signature: { inputs: readonly TensorSpec[]; outputs: readonly TensorSpec[] } = { inputs: [], outputs: [] }
  await Promise.all(
    Object.entries(manifest.files).map(async ([name, reference]) => {
      const path = await resolveFile(folder, reference)
      const { sha256, bytes } = await digestFile(path)
      files[name] = path
      digests.set(name, sha256)
      if (manifest.format === 'gguf' && name === 'model') await requireGguf(path)
      if (bytes && path.endsWith('.onnx')) signature = signatureOf(bytes, name, signature)
    }),
  )
  const outputs = manifest.outputs ?? signature.outputs
  return {
    manifest,
    files,
    inputs: manifest.inputs ?? signature.inputs,
    outputs,
    outputSchema: JSON.stringify(outputSchema({ manifest, outputs })),
    exampleInput: await readExample(folder, manifest),
    version: versionOf(text, digests),
  }
}

/** What is wrong deeper in the file is found where it is loaded, in a process of its own. */
async function requireGguf(path: string): Promise<void> {
  await using handle = await open(path)
  const { buffer } = await handle.read(Buffer.alloc(GGUF_MAGIC.length), 0, GGUF_MAGIC.length, 0)
  if (!buffer.equals(GGUF_MAGIC)) throw new ManifestInvalid('the file `model` is not of the form GGUF')
}

/** Every file of that form begins with it. */
const GGUF_MAGIC = Buffer.from('GGUF')

/** The signature of `model`; a pipeline's parts are only checked. */
function signatureOf<T>(bytes: Uint8Array, name: string, otherwise: T) {
  try {
    const file = readOnnx(bytes)
    if (file.refused) throw new OnnxInvalid(file.refused)
    return name === 'model' ? { inputs: file.inputs, outputs: file.outputs } : otherwise
  } catch (error) {
    if (!(error instanceof OnnxInvalid)) throw error
    throw new OnnxInvalid(`the file \`${excerpt(name)}\` is no ONNX model that can be used: ${error.message}`)
  }
}

async function readExample(folder: string, manifest: Manifest): Promise<string | undefined> {
  const { exampleInput, exampleInputFile, inputFormat } = manifest
  if (exampleInputFile === undefined) return exampleInput
  const bytes = await readFile(await resolveFile(folder, exampleInputFile))
  if (bytes.length > MAX_EXAMPLE_BYTES) throw new ManifestInvalid('`example_input_file` may have at most 32 KiB')
  if (inputFormat === 'bytes') return `data:application/octet-stream;base64,${bytes.toString('base64')}`
  if (inputFormat !== 'image' && inputFormat !== 'audio') return bytes.toString('utf8')
  const uri = toDataUri(bytes, inputFormat)
  if (uri === undefined) throw new ManifestInvalid(`\`example_input_file\` is no ${inputFormat} that is read here`)
  return uri
}
