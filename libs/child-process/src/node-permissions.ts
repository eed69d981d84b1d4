/** How Node is started for a child process: what its permission model leaves it. docs/decisions/walls.md */
import { type Code, readableCode, visibleCode } from './readable-paths.ts'

const OWN_PACKAGES = new URL('own-packages.ts', import.meta.url).href

export interface Lock {
  readonly code: Code
  /** Further files and folders that it reads. */
  readonly readable?: readonly string[]
  /** Whether it loads native code while it starts. */
  readonly native: boolean
  /** Whether it starts processes while it loads: before it is locked down. */
  readonly startsProcesses?: true
}

/** What the child sees of the file system, where it sees no other: folders rather than each package. */
export const visible = ({ code, readable = [] }: Lock): string[] => [...visibleCode(code), ...readable]

/** `folder`: its own, the only place where it may write, where it may. */
export function nodeOptions(
  { code, readable = [], native, startsProcesses }: Lock,
  folder: string,
  fileBytes: number,
): string[] {
  const own = [`--allow-fs-read=${folder}`, ...(fileBytes > 0 ? [`--allow-fs-write=${folder}`] : [])]
  return [
    '--permission',
    `--import=${OWN_PACKAGES}`,
    ...[...readableCode(code), ...readable].map(path => `--allow-fs-read=${path}`),
    ...own,
    '--allow-worker', // The watchdog; `lockDown` takes it back.
    '--disable-warning=PERM0006',
    ...(native ? ['--allow-addons', '--disable-warning=PERM0001'] : []),
    ...(startsProcesses ? ['--allow-child-process', '--disable-warning=PERM0002'] : []),
    // What a sandbox of WebAssembly calls of JavaScript makes no code of a text.
    '--disallow-code-generation-from-strings',
    '--disable-sigusr1', // Which starts the debugger.
  ]
}
