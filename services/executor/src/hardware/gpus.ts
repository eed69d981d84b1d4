/** The GPUs of this machine, by what their drivers tell. Whether models run on them only a run tells. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { driverLibrary, driverManifests } from '@millhand/child-process'
import type { Accelerator } from '@millhand/model'

export interface Gpu {
  /** One piece of hardware, whoever names it. */
  readonly id: string
  /** What usage counts as, for example `nvidia-h100-80gb-hbm3`. */
  readonly type: string
  /** Its name for people. */
  readonly name: string
  /** In MiB; 0 where no driver tells. */
  readonly memoryMb: number
}

/** Tells processes of this machine apart where drivers name no hardware. */
const MACHINE = crypto.randomUUID()

/** The GPU that a provider takes: the first one. */
export async function gpuOf(provider: Accelerator): Promise<Gpu> {
  const [nvidia] = await nvidiaGpus()
  if (provider === 'cuda') return nvidia ?? gpu('nvidia-gpu', 'NVIDIA GPU')
  const drivers = driverManifests().map(manifest => basename(driverLibrary(manifest) ?? ''))
  if (nvidia && (drivers.length === 0 || drivers.some(library => /nvidia/i.test(library)))) return nvidia
  const [known] = DRIVERS.filter(([library]) => drivers.some(driver => driver.includes(library)))
  return known ? gpu(known[1], known[2]) : gpu('webgpu', 'GPU behind WebGPU')
}

/** Vulkan drivers by their library: software adapters last, as WebGPU takes them only where there is nothing else. */
const DRIVERS: readonly (readonly [library: string, type: string, name: string])[] = [
  ['radeon', 'amd-gpu', 'AMD GPU'],
  ['amdvlk', 'amd-gpu', 'AMD GPU'],
  ['intel', 'intel-gpu', 'Intel GPU'],
  ['swiftshader', 'swiftshader', 'SwiftShader (software)'],
  ['lvp', 'llvmpipe', 'llvmpipe (software)'],
]

const gpu = (type: string, name: string, memoryMb = 0, id = `${type}-${MACHINE}`): Gpu => ({ id, type, name, memoryMb })

async function nvidiaGpus(): Promise<readonly Gpu[]> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', QUERY, { timeout: TIMEOUT_MS })
    return readNvidiaSmi(stdout)
  } catch {
    return readNvidiaFolder()
  }
}

const QUERY = ['--query-gpu=uuid,name,memory.total', '--format=csv,noheader,nounits']
const TIMEOUT_MS = 20_000

/** One line a GPU: `GPU-…, NVIDIA H100 80GB HBM3, 81559`. */
export function readNvidiaSmi(text: string): Gpu[] {
  return text.split('\n').flatMap(line => {
    const [id, name, memory] = line.split(',').map(part => part.trim())
    if (!id?.startsWith('GPU-') || !name) return []
    return [gpu(typeOf(name), name.slice(0, MOST_NAME), Math.max(0, Math.floor(Number(memory)) || 0), id)]
  })
}

/** Where `nvidia-smi` is missing: the driver tells name and id, not the memory. */
function readNvidiaFolder(): Gpu[] {
  try {
    return readdirSync(NVIDIA).flatMap(folder => {
      const text = readFileSync(`${NVIDIA}/${folder}/information`, 'utf8')
      const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(text)?.[1]?.trim()
      const name = field('Model')
      return name === undefined ? [] : [gpu(typeOf(name), name.slice(0, MOST_NAME), 0, field('GPU UUID') ?? folder)]
    })
  } catch {
    return []
  }
}

const NVIDIA = '/proc/driver/nvidia/gpus'
const MOST_NAME = 128

/** A name as an id: `NVIDIA H100 80GB HBM3` is `nvidia-h100-80gb-hbm3`. */
const typeOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63) || 'gpu'
