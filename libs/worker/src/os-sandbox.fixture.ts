/** What a child process tries in which Node's own lock is broken: each throws where the system refuses it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setPriority } from 'node:os'

const [, , parent, port, secret, folder] = process.argv as string[]
const pid = Number(parent)

const gone = (path: string) => {
  if (!existsSync(path)) throw new Error('it is not there')
}
const status = (field: string, closed: string) => {
  const [, value] = new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (value === closed) throw new Error('closed')
}

const ways: Record<string, () => unknown> = {
  'a secret file': () => readFileSync(String(secret)),
  'the users of the machine': () => readFileSync('/etc/passwd'),
  'the passwords of the machine': () => readFileSync('/etc/shadow'),
  'the home of root': () => readdirSync('/root'),
  'the folders of the machine': () => gone('/var'),
  'another temporary file': () => {
    if (readdirSync('/tmp').every(name => `${folder}/`.startsWith(`/tmp/${name}/`))) throw new Error('there is none')
  },
  'the environment of the server': () => readFileSync(`/proc/${pid}/environ`),
  'the memory of the server': () => readFileSync(`/proc/${pid}/maps`),
  'other processes': () => {
    if (readdirSync('/proc').filter(name => /^\d+$/.test(name)).length < 8) throw new Error('only its own are there')
  },
  'the end of the server': () => process.kill(pid, 0),
  'the priority of the server': () => setPriority(pid, 19),
  'a debugger in the server': () => process.kill(pid, 'SIGUSR1'),
  'a file of the program': () => writeFileSync(new URL('escaped', import.meta.url), ''),
  'a program of the system': () => writeFileSync('/usr/bin/escaped', ''),
  'a new file at the root': () => writeFileSync('/escaped', ''),
  'a temporary file': () => writeFileSync('/tmp/escaped', ''),
  'a disk': () => gone('/dev/sda') ?? gone('/dev/vda'),
  'the memory of the machine': () => readFileSync('/dev/mem'),
  'the log of the kernel': () => readFileSync('/dev/kmsg'),
  'the sockets of the machine': () => gone('/run'),
  'a setting of the kernel': () => writeFileSync('/proc/sys/kernel/core_pattern', '|/bin/sh'),
  'a trigger of the kernel': () => writeFileSync('/proc/sysrq-trigger', 'h'),
  'a mount': () => execFileSync('/usr/bin/mount', ['-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }),
  'another user': () => process.setuid?.(0),
  'a group': () => process.setgroups?.([0]),
  'a root of its own': () => execFileSync('/usr/sbin/chroot', ['/', 'true'], { stdio: 'ignore' }),
  'rights of a file': () => status('CapEff', '0000000000000000'),
  'rights to come': () => status('NoNewPrivs', '1'),
  'more files than it may have': () => {
    if (/^Max open files\s+1024\s+1024/m.test(readFileSync('/proc/self/limits', 'utf8'))) throw new Error('closed')
  },
  'a core file': () => {
    if (/^Max core file size\s+0\s+0/m.test(readFileSync('/proc/self/limits', 'utf8'))) throw new Error('closed')
  },
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
