/** A server's process: started, stopped, killed, paused, and started again on the same port and data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pauseProcess } from './pause-process.ts'

export interface ServerProcess extends AsyncDisposable {
  /** `127.0.0.1:<port>`, the same after every start. */
  readonly address: string
  readonly pid: number
  /** Starts it again after `stop` or `kill`; resolves when it serves. */
  start(): Promise<void>
  /** SIGTERM; resolves when it has gone. */
  stop(): Promise<void>
  /** SIGKILL; resolves when it has gone. */
  kill(): Promise<void>
  /** SIGSTOP; returns once nothing of it runs. */
  pause(): void
  /** SIGCONT. */
  resume(): void
  /** All that it has written since its latest start. */
  log(): string
}

/** Starts `java` with the words; it serves once a line of what it writes matches `ready`. */
export const startJava = (address: string, words: () => readonly string[], ready: RegExp) =>
  startProcess(address, () => ['java', ...words()], ready)

/** Starts the command and its words; it serves once a line of what it writes matches `ready`. */
export async function startProcess(
  address: string,
  words: () => readonly string[],
  ready: RegExp,
): Promise<ServerProcess> {
  let child: ChildProcess | undefined
  let output = ''

  const start = async () => {
    const [command, ...rest] = tiedToUs(words())
    const started = spawn(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    output = ''
    const served = Promise.withResolvers<void>()
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (ready.test(output)) served.resolve()
      })
    }
    started.once('close', code =>
      served.reject(new Error(`${command} ended with ${code} before it served:\n${output}`)),
    )
    await served.promise
  }
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const closed = once(ending, 'close')
    ending.kill(signal)
    ending.kill('SIGCONT') // One that is paused hears nothing else.
    await closed
  }

  await start()
  return {
    address,
    get pid() {
      return child?.pid ?? 0
    },
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause: () => pauseProcess(child?.pid),
    resume: () => void child?.kill('SIGCONT'),
    log: () => output,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}

/** A killed test leaves nothing behind: the kernel ends the server with it, where util-linux is there. */
function tiedToUs(words: readonly string[]): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const setpriv = folders.map(folder => join(folder, 'setpriv')).find(file => existsSync(file))
  return setpriv === undefined ? words : [setpriv, '--pdeathsig', 'KILL', ...words]
}
