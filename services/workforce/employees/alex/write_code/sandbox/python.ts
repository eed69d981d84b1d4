/** Runs tests of Python in Pyodide: CPython in WebAssembly, with files of its own in memory and none of this machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPyodide } from 'pyodide'
import type { CodeFile } from '../result.ts'
import { importGate } from './import-gate.ts'
import { MOST_BYTES, STOPPED, startTime } from './limits.ts'
import type { Outcome } from './outcome.ts'

/** Where the files lie in the interpreter's own file system; the suite has the same. */
const FOLDER = '/given'
const suite = readFileSync(join(import.meta.dirname, 'suite.py'), 'utf8')

export async function runPython(code: readonly CodeFile[], tests: readonly CodeFile[]): Promise<Outcome> {
  boundMemory()
  using imports = importGate()
  // Of its own: what code did to one is in no other.
  const python = await loadPyodide({
    jsglobals: {}, // Python sees nothing of this process through its module `js`.
    env: { HOME: '/home', PYTHONHASHSEED: '0' },
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
  })
  const { FS } = python
  let isOver = () => false
  python.setInterruptBuffer(interruptWhere(() => isOver()))
  for (const { path, text } of [...code, ...tests]) {
    try {
      FS.mkdirTree(join(FOLDER, path, '..'))
      FS.writeFile(join(FOLDER, path), text)
    } catch {
      return broken(`${path}: there is a file where it needs a folder, or a folder in its place`)
    }
  }
  FS.writeFile('/tests.json', JSON.stringify(tests.map(({ path }) => path)))
  // The suite writes to it before it loads any of the code.
  FS.createDevice('/dev', 'gate', null, () => imports.close())
  isOver = startTime()
  try {
    python.runPython(suite)
  } catch (error) {
    // Results that are there all the same were not written by the suite: that is the last it does.
    return broken(isOver() ? STOPPED : lastLine(error))
  }
  try {
    // Values that pass between Python and JavaScript are beyond the gate.
    return JSON.parse(FS.readFile('/results.json', { encoding: 'utf8' }))
  } catch {
    return broken('it broke')
  }
}

const broken = (ended: string): Outcome => ({ results: [], ended })

const lastLine = (error: unknown): string =>
  error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : 'it broke'

/** Python looks at the first place of this between its steps: 2 is SIGINT. No other thread is there to write it. */
function interruptWhere(isOver: () => boolean): Uint8Array {
  const buffer = {
    get 0() {
      return isOver() ? 2 : 0
    },
    set 0(_) {},
    length: 1,
  }
  return buffer as unknown as Uint8Array
}

let isBounded = false

/** A memory of WebAssembly grows no further than this, and Python then has a MemoryError. Pyodide has no setting for it. */
function boundMemory(): void {
  if (isBounded) return
  isBounded = true
  const { prototype }: { prototype: Memory } = Reflect.get(globalThis, 'WebAssembly').Memory
  const { grow } = prototype
  prototype.grow = function bounded(this: Memory, pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MOST_BYTES) throw new RangeError('no more memory here')
    return grow.call(this, pages)
  }
}

const PAGE_BYTES = 65_536

interface Memory {
  readonly buffer: ArrayBuffer
  grow(this: Memory, pages: number): number
}
