/** One process of the product: known by its environment, its ready line and its logs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Member {
  readonly name: string
  readonly pid: number
  readonly logFile: string
  /** What its latest ready line says. */
  readonly ready: Readonly<Record<string, string>>
  /** Starts it, again after `kill`; resolves when it serves. */
  start(): Promise<void>
  /** SIGKILL; resolves when it has gone. */
  kill(): Promise<void>
  /** SIGSTOP. */
  pause(): void
  /** SIGCONT. */
  resume(): void
  /** SIGTERM; resolves when it has gone. */
  stop(): Promise<void>
  /** Sets its calendar's clock so many milliseconds ahead of ours, or back; until it is started again. */
  setClock(aheadMs: number): void
}

export interface MemberOptions {
  readonly name: string
  /** What is run, by its path in the checkout, and the words after it. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The checkout that it runs from. */
  readonly root: string
  /** Where its log goes, as `<name>.log`. */
  readonly folder: string
}

/** How long it may take to serve. It waits for what it needs, so others may have to come back first. */
const START_MS = 600_000

export function createMember({ name, words, env, root, folder }: MemberOptions): Member {
  const logFile = join(folder, `${name}.log`)
  const clockFile = join(folder, `${name}.clock`)
  let child: ChildProcess | undefined
  let ready: Readonly<Record<string, string>> = {}

  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const closed = once(ending, 'close')
    ending.kill(signal)
    ending.kill('SIGCONT') // One that is paused hears nothing else.
    await closed
  }
  const forget = () => child?.kill('SIGKILL')

  return {
    name,
    logFile,
    get pid() {
      return child?.pid ?? 0
    },
    get ready() {
      return ready
    },
    async start() {
      appendFileSync(logFile, `--- started ${new Date().toISOString()}\n`)
      const node = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning']
      const clock = ['--import', import.meta.resolve('./settable-clock.ts')]
      // Its standard input is a pipe that only we hold: it ends with us, however that comes.
      const started = spawn(process.execPath, [...node, ...clock, ...words, '--stop-with-stdin'], {
        cwd: root,
        env: { ...inherited(), ...env, FAULTS_CLOCK_FILE: clockFile },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child = started
      process.once('exit', forget)
      started.once('close', () => process.off('exit', forget))
      const log = createWriteStream(logFile, { flags: 'a' })
      started.stderr.pipe(log)
      let output = ''
      const served = Promise.withResolvers<void>()
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const line = /^\{"ready":true.*\}$/m.exec(output)
        if (!line) return
        ready = JSON.parse(line[0])
        served.resolve()
      })
      const failed = (why: string) =>
        served.reject(new Error(`${name} ${why} before it served\n${readFileSync(logFile, 'utf8').slice(-2_000)}`))
      started.once('close', (code, signal) => failed(`ended with ${signal ?? code}`))
      const late = setTimeout(() => failed(`took ${START_MS} ms`), START_MS)
      await served.promise.finally(() => clearTimeout(late))
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    setClock(aheadMs) {
      // Written before the signal, read at it.
      appendFileSync(clockFile, `${aheadMs}\n`)
      child?.kill('SIGUSR2')
    },
  }
}

/** Our own environment without what would configure it or tell it that a test runner is its parent. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MILLHAND_') && name !== 'NODE_TEST_CONTEXT'),
  )
}
