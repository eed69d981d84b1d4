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
  const { isPreloaded } = checkImage(image, policy)
  const { mostBytes = Number.POSITIVE_INFINITY } = policy
  if (!isPreloaded) await boundedPull(engine, image, registryCredential, mostBytes, clock, options)
  const path = `/images/${encodeURIComponent(image)}`
  try {
    const found = (await engine.call('GET', `${path}/json`, { signal })) as ImageInspection
    if (!isPreloaded && found.Size > mostBytes) {
      // Fails while a container has it.
      await engine.call('DELETE', path, { signal }).catch(() => {})
      throw tooLarge(mostBytes)
    }
    return { id: found.Id, volumes: Object.keys(found.Config?.Volumes ?? {}) }
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error
    throw new DriverFault('image_not_found', 'The image is not there.', { cause: error })
  }
}

interface ImageInspection {
  readonly Id: string
  /** Bytes of all its layers, unpacked. */
  readonly Size: number
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
  mostBytes: number,
  clock: Pick<Clock, 'timer'>,
  { signal, cancelled, onPull = () => {} }: CreateOptions,
): Promise<void> {
  const late = new AbortController()
  const large = new AbortController()
  const stop = () => late.abort()
  const whole = clock.timer(PULL_MS, stop)
  let silence = clock.timer(SILENT_PULL_MS, stop)
  const progressed = () => {
    silence.cancel()
    silence = clock.timer(SILENT_PULL_MS, stop)
  }
  try {
    const ended = AbortSignal.any([signal, late.signal, large.signal, ...(cancelled ? [cancelled] : [])])
    const hasBytes = (bytes: number) => bytes > mostBytes && large.abort()
    await pull(engine, image, credential, { signal: ended, onPull, progressed, hasBytes })
  } catch (error) {
    signal.throwIfAborted()
    cancelled?.throwIfAborted()
    if (late.signal.aborted)
      throw new DriverFault('registry_unavailable', 'The registry takes too long to send the image.', { cause: error })
    if (large.signal.aborted) throw tooLarge(mostBytes, error)
    throw pullFault(error)
  } finally {
    whole.cancel()
    silence.cancel()
  }
}

const tooLarge = (mostBytes: number, cause?: unknown) =>
  new DriverFault('image_too_large', `The image has more than the ${mostBytes / 1e9} GB that it may have here.`, {
    cause,
  })

interface Pulling {
  readonly signal: AbortSignal
  readonly onPull: (progress: PullProgress) => void
  /** Hears that something has come. */
  readonly progressed: () => void
  /** Hears how many bytes the layers have, as they are sent, that are known so far. */
  readonly hasBytes: (bytes: number) => void
}

async function pull(
  engine: Engine,
  image: string,
  credential: RegistryCredential | undefined,
  { signal, onPull, progressed, hasBytes }: Pulling,
): Promise<void> {
  const { registry, repository, version } = parseImageReference(image) as NonNullable<
    ReturnType<typeof parseImageReference>
  >
  const query = new URLSearchParams({ fromImage: `${registry}/${repository}`, tag: version.slice(1) })
  const layers = new Map<string, { done: number; total: number }>()
  const sent = new Map<string, number>()
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
    if (line.status === DOWNLOADING) {
      sent.set(line.id, total)
      hasBytes([...sent.values()].reduce((sum, bytes) => sum + bytes, 0))
    }
    const now = performance.now()
    if (now - toldAt < 1000) continue
    toldAt = now
    onPull(sumOf(layers.values()))
  }
}

const DOWNLOADING = 'Downloading'

/** The engine answers once the registry has. */
const REGISTRY_TIMEOUT_MS = 60_000

/**
 * Base64 of JSON, in the alphabet for URLs (https://docs.docker.com/reference/api/engine/version/v1.41/#section/Authentication),
 * with its padding: an engine takes what lacks that for no credential, and does not say so.
 */
const authorization = (registry: string, { username, password }: RegistryCredential): string =>
  Buffer.from(JSON.stringify({ username, password, serveraddress: registry }))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

function sumOf(layers: Iterable<{ done: number; total: number }>): PullProgress {
  let doneBytes = 0
  let totalBytes = 0
  for (const { done, total } of layers) {
    doneBytes += done
    totalBytes += total
  }
  return { doneBytes, totalBytes }
}
