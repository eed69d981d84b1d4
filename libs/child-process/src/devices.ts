/**
 * What a process that computes on a GPU needs beyond its files: the devices, the drivers' files that are named in the
 * environment, and nothing else. What lies in the system's own folders every child sees. docs/operating.md, "GPUs"
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export interface DeviceAccess {
  readonly env: Readonly<Record<string, string>>
  /** Device nodes, and folders of them. */
  readonly devices: readonly string[]
  /** Further files and folders that are read. */
  readonly readable: readonly string[]
  /** Groups without which the devices can't be opened. */
  readonly groups: readonly number[]
  /** What drivers and libraries hold in a process that uses them, which is not counted as its own. */
  readonly residentBytes: number
}

/** Of this machine, with the variables by which an operator names drivers and libraries. */
export function deviceAccess(env: NodeJS.ProcessEnv = process.env): DeviceAccess {
  const devices = deviceNodes()
  // By their real names: a link like /usr/local/cuda leads out of the folders that the process sees.
  const libraries = listOf(env.LD_LIBRARY_PATH).flatMap(realPath)
  return {
    env: {
      ...Object.fromEntries(VARIABLES.flatMap(name => (env[name] ? [[name, env[name]]] : []))),
      ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(':') }),
      CUDA_CACHE_DISABLE: '1', // It would be kept in a home folder, and there is none.
    },
    devices,
    readable: [
      ...libraries,
      ...driverManifests(env).flatMap(filesOfManifest),
      ...(devices.some(path => path.startsWith('/dev/dri')) ? ['/sys/dev/char', '/sys/devices'] : []),
    ],
    groups: deviceGroups(devices),
    residentBytes: LIBRARY_BYTES,
  }
}

/** The manifests of Vulkan drivers that the loader would read: those that are named, else those of the system. */
export function driverManifests(env: NodeJS.ProcessEnv = process.env): string[] {
  const named = listOf(env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES)
  if (named.length > 0) return named
  return MANIFEST_FOLDERS.flatMap(folder => namesIn(folder).map(name => join(folder, name))).filter(path =>
    path.endsWith('.json'),
  )
}

/** The driver's library as its manifest names it; undefined where that can't be read. */
export function driverLibrary(manifest: string): string | undefined {
  try {
    const path: unknown = JSON.parse(readFileSync(manifest, 'utf8')).ICD?.library_path
    if (typeof path !== 'string') return undefined
    return path.includes('/') ? resolve(dirname(manifest), path) : path
  } catch {
    return undefined
  }
}

/** By what was measured. */
const LIBRARY_BYTES = 2 * 2 ** 30

/** Read by Vulkan's loader and by CUDA. */
const VARIABLES = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'CUDA_VISIBLE_DEVICES']

const MANIFEST_FOLDERS = [
  '/etc/vulkan/icd.d',
  '/usr/share/vulkan/icd.d',
  '/usr/local/share/vulkan/icd.d',
  '/usr/local/nvidia/share/vulkan/icd.d',
]

const NVIDIA_NODE = /^nvidia(?:\d+|ctl|-uvm|-uvm-tools|-modeset)$/

const deviceNodes = (): string[] => [
  ...namesIn('/dev')
    .filter(name => NVIDIA_NODE.test(name))
    .map(name => `/dev/${name}`),
  ...namesIn('/dev/dri')
    .filter(name => /^renderD\d+$/.test(name))
    .map(name => `/dev/dri/${name}`),
]

/**
 * The groups that open these devices. Not root's, nor that of this process: by them a child could read and write what
 * is ours.
 */
export const deviceGroups = (paths: readonly string[]): number[] => {
  const ours = new Set([0, process.getgid?.(), process.getegid?.()])
  return [...new Set(paths.flatMap(groupOf))].filter(gid => !ours.has(gid))
}

function groupOf(path: string): number[] {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || (found.mode & 0o6) === 0o6 || (found.mode & 0o60) !== 0o60 ? [] : [found.gid]
}

function filesOfManifest(manifest: string): string[] {
  const library = driverLibrary(manifest)
  return [manifest, ...(library !== undefined && isAbsolute(library) ? [library] : [])]
}

/** None where there is no such file. */
function realPath(path: string): string[] {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

const listOf = (paths: string | undefined): string[] => (paths ?? '').split(':').filter(path => isAbsolute(path))

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
