/**
 * Closes what a kind's code has no business with and Node's permission model leaves open: the network, signals to other
 * processes, SQLite's files. Node 24 has no permission for the network. Everything that dials or listens in Node ends in few
 * methods, whatever library asks: those are replaced, for good, and nothing keeps the old ones.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

/** To be called once, after the last thread was started and before any code of a kind is loaded. */
export function lockDown(): void {
  const require = createRequire(import.meta.url)

  const net = require('node:net')
  close(net.Socket.prototype, ['connect'])
  close(net.Server.prototype, ['listen', '_listen2', '_setupWorker'])
  close(net, ['_createServerHandle', 'BoundSocket'])
  for (const prototype of handles())
    close(
      prototype,
      OF_HANDLES.filter(name => name in prototype),
    )
  const dgram = require('node:dgram')
  close(dgram.Socket.prototype, ['bind', 'connect', 'send', 'sendto', 'addMembership', '_stopReceiving'])
  close(dgram, ['createSocket', 'Socket', '_createSocketHandle'])
  // Some are made of others: all are loaded before one is closed.
  for (const module of WHOLE.map(name => require(`node:${name}`))) close(module, functionsOf(module))
  // A thread would have all of it open again; hooks of modules run in one.
  close(require('node:worker_threads'), ['Worker'])
  close(require('node:module'), ['register'])
  // V8 itself opens files for some of its flags, wherever they say.
  close(require('node:v8'), ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit', 'writeHeapSnapshot'])

  // It may end itself. Whatever a kind does to the prototypes, it never gets hold of what is called here.
  const { pid: own } = process
  const { apply } = Reflect
  const kill = Reflect.get(process, '_kill')
  fix(process, 'kill', (pid: number) => {
    if (pid !== own) throw refused('kill')
    apply(kill, process, [own, SIGKILL])
  })
  const ofProcess = ['_kill', '_debugProcess', '_debugEnd', '_getActiveHandles', '_getActiveRequests', 'execve']
  close(process, [...ofProcess, '_linkedBinding'])
  // Numbers, and nothing else: Emscripten asks for them.
  const constants = structuredClone(require('node:constants'))
  fix(process, 'binding', (name: unknown) => {
    if (name !== 'constants') throw refused('binding')
    return { fs: { ...constants } }
  })
  for (const name of ['fetch', 'WebSocket', 'EventSource']) fix(globalThis, name, undefined)
  syncBuiltinESMExports()
}

const SIGKILL = 9

/** Of these nothing is left. */
const WHOLE = ['dns', 'dns/promises', 'inspector', 'inspector/promises', 'cluster', 'child_process', 'sqlite']

/** Where the dialling and listening of a class of handles ends. */
const OF_HANDLES = ['bind', 'bind6', 'listen', 'connect', 'connect6', 'open', 'fchmod']

/** The classes of the pipes that this process was started with, and of TCP, which TLS makes: of them others could be made. */
function handles(): Set<object> {
  const { TLSSocket } = createRequire(import.meta.url)('node:tls')
  const encrypted = new TLSSocket()
  const all = [Reflect.get(process.stderr, '_handle'), Reflect.get(encrypted, '_handle')._parent]
  encrypted.destroy()
  return new Set(all.map(Object.getPrototypeOf))
}

const functionsOf = (module: object): string[] =>
  Object.keys(module).filter(name => typeof Reflect.get(module, name) === 'function')

function close(owner: object, names: readonly string[]): void {
  for (const name of names)
    fix(owner, name, function closed() {
      throw refused(name)
    })
}

function fix(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true })
}

const refused = (what: string): Error =>
  Object.assign(new Error(`A kind's code has no access to ${what}.`), { code: 'ERR_ACCESS_DENIED' })
