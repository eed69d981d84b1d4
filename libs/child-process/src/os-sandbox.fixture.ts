/** What a child process tries in which Node's own lock is broken: each throws where the system refuses it. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

const [, , parent, port, secret, folder, writes, outside] = process.argv as string[]
const pid = Number(parent)

/** Where it is not refused, nothing stays of it. */
const make = (path: string) => {
  closeSync(openSync(path, 'wx'))
  rmSync(path)
}
const openToWrite = (path: string) => closeSync(openSync(path, 'r+'))
const gone = (path: string) => {
  if (!existsSync(path)) throw new Error('it is not there')
}
const status = (field: string, closed: string) => {
  const [, value] = new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (value === closed) throw new Error('closed')
}
const limit = (name: string, most: string) => {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  if (new RegExp(`^${name}\\s+${most}\\s+${most}\\b`, 'm').test(limits)) throw new Error('closed')
}
/** The namespace of the server, as `readlink` shows it. */
const namespace = (name: string) => {
  if (
    !String(outside)
      .split(' ')
      .includes(readlinkSync(`/proc/self/ns/${name}`))
  )
    throw new Error('it has its own')
}
const DEVICES = new Set(
  'console core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero'.split(' '),
)

const ways: Record<string, () => unknown> = {
  'a secret file': () => readFileSync(String(secret)),
  'the users of the machine': () => readFileSync('/etc/passwd'),
  'the passwords of the machine': () => readFileSync('/etc/shadow'),
  'the home of root': () => readdirSync('/root'),
  'the folders of the machine': () => gone('/var'),
  'another temporary file': () => {
    // Its own code may be there too, with Node.
    const own = [`${folder}/`, import.meta.filename, process.execPath]
    const isOwn = (name: string) => own.some(path => path.startsWith(`/tmp/${name}/`))
    if (readdirSync('/tmp').every(isOwn)) throw new Error('there is none')
  },
  'the environment of the server': () => readFileSync(`/proc/${pid}/environ`),
  'the memory of the server': () => readFileSync(`/proc/${pid}/maps`),
  'other processes': () => {
    if (readdirSync('/proc').filter(name => /^\d+$/.test(name)).length < 8) throw new Error('only its own are there')
  },
  'the end of the server': () => process.kill(pid, 0),
  'the priority of the server': () => setPriority(pid, 19),
  'a debugger in the server': () => process.kill(pid, 'SIGUSR1'),
  'a file of the program': () => make(fileURLToPath(new URL('escaped', import.meta.url))),
  'a program of the system': () => make('/usr/bin/escaped'),
  'a new file at the root': () => make('/escaped'),
  'a temporary file': () => make('/tmp/escaped'),
  'a file among the devices': () => make('/dev/escaped'),
  'shared memory': () => make('/dev/shm/escaped'),
  'a device of the machine': () => {
    if (readdirSync('/dev').every(name => DEVICES.has(name))) throw new Error('there is none')
  },
  'a mount that can be written': () => {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
    const writable = mounts.map(line => line.split(' ')).filter(([, , , , , options]) => /^rw\b/.test(options ?? ''))
    const own = writes === 'true' ? String(folder) : '/proc'
    const others = writable.filter(([, , , , path = '']) => path !== own && !/^\/(proc(\/|$)|dev\/)/.test(path))
    if (others.length === 0) throw new Error('there is none')
  },
  'the messages between processes': () => namespace('ipc'),
  'the name of the machine': () => namespace('uts'),
  'the terminal of the server': () => {
    // The sixth field: its session, 0 where the leader of that is outside.
    const [, , , session] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    if (session !== '0') throw new Error('it has its own session')
  },
  'the memory of the machine': () => readFileSync('/dev/mem'),
  'the log of the kernel': () => readFileSync('/dev/kmsg'),
  'the sockets of the machine': () => gone('/run'),
  'a setting of the kernel': () => openToWrite('/proc/sys/kernel/core_pattern'),
  'a trigger of the kernel': () => closeSync(openSync('/proc/sysrq-trigger', 'w')),
  'the registers of the processor': () => openToWrite('/proc/mtrr'),
  'its own files in /proc': () => writeFileSync('/proc/self/comm', 'escaped'),
  'a mount': () => execFileSync('/usr/bin/mount', ['-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }),
  'another user': () => process.setuid?.(0),
  'a group': () => process.setgroups?.([0]),
  'a root of its own': () => execFileSync('/usr/sbin/chroot', ['/', 'true'], { stdio: 'ignore' }),
  'rights of a file': () => status('CapEff', '0000000000000000'),
  'rights that it may take': () => status('CapBnd', '0000000000000000'),
  'rights that it hands on': () => status('CapInh', '0000000000000000'),
  'rights to come': () => status('NoNewPrivs', '1'),
  'more files than it may have': () => limit('Max open files', '1024'),
  'more processes than it may have': () => limit('Max processes', '1024'),
  'a core file': () => limit('Max core file size', '0'),
  'the network of the machine': () => {
    const names = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2).filter(Boolean)
    if (names.every(name => /^\s*lo:/.test(name))) throw new Error('there is none')
  },
  'a server of the machine': () =>
    new Promise((resolve, reject) => connect(Number(port), '127.0.0.1').on('connect', resolve).on('error', reject)),
}

const open: string[] = []
for (const [name, way] of Object.entries(ways)) {
  try {
    await way()
    open.push(name)
  } catch {
    // Refused.
  }
}
writeFileSync(1, JSON.stringify({ tried: Object.keys(ways).length, open, uid: process.getuid?.() }))
process.exit(0)
