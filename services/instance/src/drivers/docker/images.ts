/** The image of a replica, on the host that will run it. */
import type { Clock } from '@millhand/process'
import {
  type CreateOptions,
  DriverFault,
  type PullProgress,
  type RegistryCredential,
  type ReplicaSpec,
} from '../driver.ts'
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
  clock: Pick<Clock, 'timer'>,
  options: CreateOptions,
): Promise<HostImage> {
  const { signal } = options
  if (!checkImage(image, policy).isPreloaded) await boundedPull(engine, image, registryCredential, clock, options)
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

/** The replica holds its place meanwhile, so a registry gets no more time than this: in all, and without any progress. */
const PULL_MS = 1_800_000
const SILENT_PULL_MS = 300_000

/** The engine ends a pull whose caller has gone. */
async function boundedPull(
  engine: Engine,
  image: string,
  credential: RegistryCredential | undefined,
  clock: Pick<Clock, 'timer'>,
  { signal, cancelled, onPull = () => {} }: CreateOptions,
): Promise<void> {
  const late = new AbortController()
  const stop = () => late.abort()
  const whole = clock.timer(PULL_MS, stop)
  let silence = clock.timer(SILENT_PULL_MS, stop)
  const progressed = () => {
    silence.cancel()
    silence = clock.timer(SILENT_PULL_MS, stop)
  }
  try {
    const ended = AbortSignal.any([signal, late.signal, ...(cancelled ? [cancelled] : [])])
    await pull(engine, image, credential, { signal: ended, onPull, progressed })
  } catch (error) {
    signal.throwIfAborted()
    cancelled?.throwIfAborted()
    if (late.signal.aborted)
      throw new DriverFault('registry_unavailable', 'The registry takes too long to send the image.', { cause: error })
    throw pullFault(error)
  } finally {
    whole.cancel()
    silence.cancel()
  }
}

interface Pulling {
  readonly signal: AbortSignal
  readonly onPull: (progress: PullProgress) => void
  /** Hears that something has come. */
  readonly progressed: () => void
}

async function pull(
  engine: Engine,
  image: string,
  credential: RegistryCredential | undefined,
  { signal, onPull, progressed }: Pulling,
): Promise<void> {
  const { registry, repository, version } = parseImageReference(image) as NonNullable<
    ReturnType<typeof parseImageReference>
  >
  const query = new URLSearchParams({ fromImage: `${registry}/${repository}`, tag: version.slice(1) })
  const layers = new Map<string, { done: number; total: number }>()
  let toldAt = Number.NEGATIVE_INFINITY
  const headers = credential && { 'x-registry-auth': authorization(registry, credential) }
  const progress = await engine.stream('POST', `/images/create?${query}`, {
    signal,
    timeoutMs: REGISTRY_TIMEOUT_MS,
    ...(headers && { headers }),
  })
  for await (const line of jsonLines(progress)) {
    progressed()
    if (typeof line.error === 'string') throw new EngineError(500, line.error)
    const { current, total } = (line.progressDetail ?? {}) as { current?: number; total?: number }
    if (typeof line.id !== 'string' || typeof current !== 'number' || typeof total !== 'number') continue
    layers.set(`${line.id} ${line.status}`, { done: current, total })
    const now = performance.now()
    if (now - toldAt < 1000) continue
    toldAt = now
    onPull(sumOf(layers.values()))
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
