/**
 * Closes what the work of a child process does not need and Node's permission model leaves open: the network, signals and
 * priorities of other processes, SQLite's files, bytecode from outside, what tells about this machine. Node 24 has no
 * permission for these. Each thing ends in few functions, whatever library calls it: those are replaced for good, and nothing
 * keeps the old ones. `exposed-functions.txt` lists what stays open; a test compares the list with the Node that runs it.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { close, fix, refused } from './disabled-functions.ts'
import { closeLoading, closeResolution } from './module-lock.ts'

// biome-ignore lint/suspicious/noExplicitAny: much of it has no types.
type Any = any

/** To be called once, after the last thread was started and before any code of the work is loaded. */
export function lockDown(): void {
  const require = createRequire(import.meta.url)
  // Loading some modules uses others: all are loaded before one is closed.
  const whole = WHOLE.map(name => require(`node:${name}`))
  const parts = Object.entries(PARTS).map(([name, functions]) => [require(`node:${name}`), functions] as const)

  const net = require('node:net')
  close(net.Socket.prototype, ['connect'])
  close(net.Server.prototype, ['listen', '_listen2', '_setupWorker'])
  for (const prototype of handles())
    close(
      prototype,
      OF_HANDLES.filter(name => name in prototype),
    )
  const dgram = require('node:dgram')
  close(dgram.Socket.prototype, ['bind', 'connect', 'send', 'sendto', 'addMembership', '_stopReceiving'])
  closeResolution(require('node:module'))
  for (const module of whole) close(module, functionsOf(module))
  for (const [module, functions] of parts) close(module, functions)
  closeVm(require('node:vm'))
  closeProcess(require('node:constants'))
  for (const name of ['fetch', 'WebSocket', 'EventSource']) fix(globalThis, name, undefined)
  // With it code learns the functions and the `this` of its callers.
  Object.defineProperty(Error, 'prepareStackTrace', { get: () => undefined, set: () => {}, configurable: false })
  syncBuiltinESMExports()
}

/** To be called once the work's code is loaded: it loads no native code any more, and hooks no module. */
export function lockLoaded(): void {
  close(process, ['dlopen'])
  closeLoading(createRequire(import.meta.url)('node:module'))
  syncBuiltinESMExports()
}

/** `cachedData` is bytecode that V8 believes. What stays is a time limit for a call that waits for nothing. */
function closeVm(vm: Any): void {
  const { runInNewContext: run } = vm
  close(
    vm,
    functionsOf(vm).filter(name => name !== 'runInNewContext'),
  )
  fix(vm, 'runInNewContext', (code: unknown, given: Any, limits: Any) => {
    if (code !== 'work()') throw refused('runInNewContext')
    const { work } = given
    const { timeout } = limits
    return run('work()', { work }, { timeout: Number(timeout), contextCodeGeneration: { strings: false, wasm: false } })
  })
}

function closeProcess(constants: object): void {
  // The process may end itself. Whatever its code does to the prototypes, it never gets hold of what is called here.
  const { pid: own } = process
  const { apply } = Reflect
  const kill = Reflect.get(process, '_kill')
  fix(process, 'kill', (pid: number) => {
    if (pid !== own) throw refused('kill')
    apply(kill, process, [own, SIGKILL])
  })
  close(
    process,
    OF_PROCESS.filter(name => name in process),
  )
  // Numbers, and nothing else: Emscripten reads them.
  const numbers = structuredClone(constants)
  fix(process, 'binding', (name: unknown) => {
    if (name !== 'constants') throw refused('binding')
    return { fs: { ...numbers } }
  })
  const { title } = process
  Object.defineProperty(process, 'title', { get: () => title, set: () => {}, configurable: false, enumerable: true })
  fix(process, 'report', { getReport: libraryOfC })
  for (const name of ['mainModule', 'execPath']) fix(process, name, undefined)
  for (const name of ['argv', 'execArgv']) fix(process, name, [])
}

const report: Any = process.report?.getReport.bind(process.report)

/** Of a report, which has addresses of the heap and the command line, what tells which native code fits. */
function libraryOfC() {
  const { header, sharedObjects } = report()
  return {
    header: { glibcVersionRuntime: header.glibcVersionRuntime },
    sharedObjects: sharedObjects.filter((path: string) => path.includes('musl')).map((path: string) => basename(path)),
  }
}

const SIGKILL = 9

const OF_PROCESS = [
  '_kill',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  '_stopProfilerIdleNotifier',
  '_getActiveHandles',
  '_getActiveRequests',
  '_linkedBinding',
  '_rawDebug',
  'abort',
  'chdir',
  'execve',
  'initgroups',
  'loadEnvFile',
  'openStdin',
  'setegid',
  'seteuid',
  'setgid',
  'setgroups',
  'setuid',
  'setSourceMapsEnabled',
  'umask',
]

/** Of these nothing is left. */
const WHOLE = [
  'child_process',
  'cluster',
  'dns',
  'dns/promises',
  'inspector',
  'inspector/promises',
  'repl',
  'sqlite',
  'test',
  'trace_events',
  'wasi',
]

const PARTS: Readonly<Record<string, readonly string[]>> = {
  net: ['_createServerHandle', 'BoundSocket'],
  dgram: ['createSocket', 'Socket', '_createSocketHandle'],
  // A thread would have all of it open again; hooks of modules run in one.
  worker_threads: ['Worker', 'moveMessagePortToContext', 'postMessageToThread', 'setEnvironmentData'],
  async_hooks: ['createHook', 'executionAsyncResource'],
  // V8 itself opens files for some of its flags, wherever they say.
  v8: [
    'setFlagsFromString',
    'setHeapSnapshotNearHeapLimit',
    'writeHeapSnapshot',
    'getHeapSnapshot',
    'queryObjects',
    'takeCoverage',
    'stopCoverage',
    'startCpuProfile',
    'GCProfiler',
    'isStringOneByteRepresentation',
  ],
  os: ['setPriority', 'getPriority', 'networkInterfaces', 'userInfo', 'hostname', 'loadavg', 'uptime'],
  crypto: ['setEngine', 'setFips'],
  tls: ['setDefaultCACertificates', 'getCACertificates'],
  tty: ['ReadStream', 'WriteStream'],
}

/** Where the dialling and listening of a class of handles ends. */
const OF_HANDLES = ['bind', 'bind6', 'listen', 'connect', 'connect6', 'open', 'fchmod']

/** The classes of the pipes that this process was started with, and of TCP, which TLS makes: of them others could be made. */
function handles(): Set<object> {
  const { TLSSocket } = createRequire(import.meta.url)('node:tls')
  const encrypted = new TLSSocket()
  const all = [Reflect.get(process.stderr, '_handle'), Reflect.get(encrypted, '_handle')._parent]
  encrypted.destroy()
  return new Set(all.filter(handle => handle).map(Object.getPrototypeOf))
}

const functionsOf = (module: Any): string[] =>
  Object.getOwnPropertyNames(module).filter(name => typeof module[name] === 'function')
