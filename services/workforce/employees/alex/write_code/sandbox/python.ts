/** Runs tests of Python in Pyodide: CPython in WebAssembly, with files of its own in memory and none of this machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPyodide } from 'pyodide'
import type { CodeFile } from '../result.ts'
import { MOST_BYTES, STOPPED, startTime } from './limits.ts'
import type { Told } from './told.ts'

/** Where the files lie in the interpreter's own file system; the suite has the same. */
const FOLDER = '/given'
const suite = readFileSync(join(import.meta.dirname, 'suite.py'), 'utf8')

export async function runPython(code: readonly CodeFile[], tests: readonly CodeFile[]): Promise<Told> {
  boundMemory()
  // Of its own: what code did to one is in no other.
  const python = await loadPyodide({
    jsglobals: {}, // Python sees nothing of this process through its module `js`.
    env: { HOME: '/home', PYTHONHASHSEED: '0' },
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
  })
  let isOver = () => false
  python.setInterruptBuffer(interruptWhere(() => isOver()))
  for (const { path, text } of [...code, ...tests]) {
    try {
      python.FS.mkdirTree(join(FOLDER, path, '..'))
      python.FS.writeFile(join(FOLDER, path), text)
    } catch {
      return nothing(`${path}: there is a file where it needs a folder, or a folder in its place`)
    }
  }
  const run = python.runPython(suite)
  using _ = withoutCodeFromTexts()
  isOver = startTime()
  try {
    const told: unknown = JSON.parse(run(JSON.stringify(tests.map(({ path }) => path))))
    return toldBy(told)
  } catch (error) {
    if (isOver()) return nothing(STOPPED)
    return nothing(error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : 'it broke')
  }
}

const nothing = (fault: string): Told => ({ passed: 0, total: 0, faults: [fault] })

/** What the suite says stands in the same interpreter as the code: it is read like anything from outside. */
function toldBy(told: unknown): Told {
  const { passed, total, faults } = Object(told)
  const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 0
  if (!isCount(passed) || !isCount(total) || passed > total || !Array.isArray(faults)) return nothing('it broke')
  return { passed, total, faults: faults.map(fault => String(fault).slice(0, 500)) }
}

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

/** Whatever Python is handed of JavaScript has `constructor.constructor`, which makes code of a text, outside the interpreter. */
function withoutCodeFromTexts(): Disposable {
  const closed = () => {
    throw new Error('no code is made of a text here')
  }
  const open = [() => {}, async () => {}, function* () {}, async function* () {}].map(made => {
    const prototype = Object.getPrototypeOf(made)
    const { constructor: before } = Object.getOwnPropertyDescriptors(prototype)
    Object.defineProperty(prototype, 'constructor', { value: closed, writable: false })
    return () => Object.defineProperty(prototype, 'constructor', before)
  })
  return {
    [Symbol.dispose]() {
      for (const again of open) again()
    },
  }
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
