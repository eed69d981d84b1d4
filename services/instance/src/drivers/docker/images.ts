/** The image of a replica, on the host that will run it. */
import { DriverFault, type PullProgress, type RegistryCredential, type ReplicaSpec } from '../driver.ts'
import { checkImage, type ImagePolicy, parseImageReference } from '../image-policy.ts'
import { type Engine, EngineError, jsonLines } from './engine.ts'
import { pullFault } from './faults.ts'

export interface HostImage {
  readonly id: string
  /** Paths where the image asks for a volume. */
  readonly volumes: readonly string[]
}

/** Pulls the image, unless the operator has put it there. Throws `DriverFault`. */
export async function ensureImage(
  engine: Engine,
  { image, registryCredential }: Pick<ReplicaSpec, 'image' | 'registryCredential'>,
  policy: ImagePolicy,
  signal: AbortSignal,
  onPull: (progress: PullProgress) => void,
): Promise<HostImage> {
  if (!checkImage(image, policy).isPreloaded) await pull(engine, image, registryCredential, signal, onPull)
  try {
    const found = (await engine.call('GET', `/images/${encodeURIComponent(image)}/json`, { signal })) as ImageInspection
    return { id: found.Id, volumes: Object.keys(found.Config?.Volumes ?? {}) }
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error
    throw new DriverFault('image_not_found', 'The image is not there.', { cause: error })
  }
}

interface ImageInspection {
  readonly Id: string
  readonly Config?: { readonly Volumes?: Record<string, unknown> | null }
}

async function pull(
  engine: Engine,
  image: string,
  credential: RegistryCredential | undefined,
  signal: AbortSignal,
  onPull: (progress: PullProgress) => void,
): Promise<void> {
  const { registry, repository, version } = parseImageReference(image) as NonNullable<
    ReturnType<typeof parseImageReference>
  >
  const query = new URLSearchParams({ fromImage: `${registry}/${repository}`, tag: version.slice(1) })
  const layers = new Map<string, { done: number; total: number }>()
  let toldAt = Number.NEGATIVE_INFINITY
  try {
    const headers = credential && { 'x-registry-auth': authorization(registry, credential) }
    const progress = await engine.stream('POST', `/images/create?${query}`, {
      signal,
      timeoutMs: REGISTRY_TIMEOUT_MS,
      ...(headers && { headers }),
    })
    for await (const line of jsonLines(progress)) {
      if (typeof line.error === 'string') throw new EngineError(500, line.error)
      const { current, total } = (line.progressDetail ?? {}) as { current?: number; total?: number }
      if (typeof line.id !== 'string' || typeof current !== 'number' || typeof total !== 'number') continue
      layers.set(`${line.id} ${line.status}`, { done: current, total })
      const now = performance.now()
      if (now - toldAt < 1000) continue
      toldAt = now
      onPull(sumOf(layers.values()))
    }
  } catch (error) {
    signal.throwIfAborted()
    throw pullFault(error)
  }
}

/** The engine answers once the registry has. */
const REGISTRY_TIMEOUT_MS = 60_000

/** Base64 of JSON, in the alphabet for URLs (https://docs.docker.com/reference/api/engine/version/v1.41/#section/Authentication). */
const authorization = (registry: string, { username, password }: RegistryCredential): string =>
  Buffer.from(JSON.stringify({ username, password, serveraddress: registry })).toString('base64url')

function sumOf(layers: Iterable<{ done: number; total: number }>): PullProgress {
  let doneBytes = 0
  let totalBytes = 0
  for (const { done, total } of layers) {
    doneBytes += done
    totalBytes += total
  }
  return { doneBytes, totalBytes }
}
