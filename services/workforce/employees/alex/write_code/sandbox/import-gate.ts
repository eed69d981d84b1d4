/**
 * What code in Pyodide reaches of JavaScript, it reaches by the functions that its WebAssembly imports: proxies of objects,
 * `ctypes`, libraries loaded later, whatever it wrote over its own memory. Once the gate is closed those are the interpreter's own
 * file system, clock and randomness. The rest is refused, which ends the interpreter, and no other WebAssembly can be made.
 */

export interface ImportGate extends Disposable {
  /** Before any code is loaded that is not ours. */
  close(): void
}

/** Of imports: files (in memory), clocks, random numbers, memory, the end. */
const OPEN = new RegExp(
  `^(?:${[
    'fd_\\w+|clock_\\w+|environ_\\w+|random_get|proc_exit|exit|__assert_fail|_abort_js',
    'JsvError_Check|JsvNoValue_Check',
    '__syscall_(?:openat|fcntl64|ioctl|dup3?|pipe|poll|chdir|fchdir|getcwd|getdents64|getuid32_js|umask_js)',
    '__syscall_(?:\\w*stat\\w*|f?chmod\\w*|fchown\\w*|f?truncate64|f?data\\w*|fadvise64|fallocate|faccessat|utimensat)',
    '__syscall_(?:mkdirat|mknodat|readlinkat|unlinkat|rmdir|renameat|symlinkat)',
    'emscripten_(?:get_now|date_now|resize_heap|get_heap_max)',
    '_(?:localtime|gmtime|mktime|timegm|tzset|mmap|munmap|msync)_js',
    '_PyEM_TrampolineCall_JS|_Py_CheckEmscriptenSignals_Helper|_Py_emscripten_runtime|_try_fcntl64',
  ].join('|')})$`,
)

/** Of these Python makes an error of its own, by the number that they give. */
const REFUSED: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['socket', 'connect', 'bind', 'listen', 'accept4', 'getsockname', 'getpeername', 'getsockopt'].map(name => [
      `__syscall_${name}`,
      -2,
    ]),
  ),
  _emscripten_system: -1,
  getaddrinfo: -4,
  can_run_sync_js: 0,
}

type Imported = (...given: unknown[]) => unknown
type Imports = Record<string, Imported>

/** Stands before whatever WebAssembly is made next with imports, until it is disposed of. */
export function importGate(): ImportGate {
  const wasm: Record<string, unknown> = Reflect.get(globalThis, 'WebAssembly')
  const before = { ...Object.getOwnPropertyDescriptors(wasm) }
  let isClosed = false

  const guarded = (name: string, real: Imported): Imported =>
    Object.assign(function (this: unknown, ...given: unknown[]) {
      if (!isClosed) return Reflect.apply(real, this, given)
      const refusal = REFUSED[name]
      if (refusal === undefined) throw new Error(`code in the sandbox has no access to ${name}`)
      return refusal
    }, real)

  const instantiate = wasm.instantiate as (source: unknown, imports?: { env?: Imports }) => unknown
  wasm.instantiate = (source: unknown, imports?: { env?: Imports }) => {
    const { env } = imports ?? {}
    if (env)
      for (const [name, real] of Object.entries(env))
        if (typeof real === 'function' && !OPEN.test(name)) env[name] = guarded(name, real)
    return Reflect.apply(instantiate, wasm, [source, imports])
  }
  return {
    close() {
      isClosed = true
      for (const name of MAKERS)
        Object.defineProperty(wasm, name, {
          configurable: true,
          value: () => {
            throw new Error('code in the sandbox makes no WebAssembly')
          },
        })
    },
    [Symbol.dispose]: () => void Object.defineProperties(wasm, before),
  }
}

const MAKERS = ['Module', 'Instance', 'compile', 'compileStreaming', 'instantiate', 'instantiateStreaming', 'validate']
