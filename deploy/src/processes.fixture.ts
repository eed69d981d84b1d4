/** Processes of ours, started as an operator starts them: known by their environment, what they print, their end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createCredentialsIssuer } from '@millhand/rpc/network'
import { freePort } from '@millhand/test-servers'
import { credentialsOf } from './processes/credentials.ts'
import type { CallerName } from './services.ts'

export type Environment = Readonly<Record<string, string>>

export interface Running extends AsyncDisposable {
  readonly pid: number
  /** Its ready line. Rejects when it ends before that. */
  readonly ready: Promise<Readonly<Record<'http' | 'grpc', string>>>
  /** Its exit code, or the signal that ended it. */
  readonly end: Promise<number | string>
  /** All that it has written on standard output and standard error. */
  readonly output: { readonly stdout: string; readonly stderr: string }
  kill(signal: NodeJS.Signals): void
}

/** `pnpm serve <words>` with these variables and no others of ours. Killed on dispose, and with the test process. */
export const serve = (words: readonly string[], env: Environment): Running => start([SERVE, ...words], env)

/** A program of ours and its arguments, with these variables and no others of ours. */
export function start(words: readonly string[], env: Environment): Running {
  const child: ChildProcess = spawn(process.execPath, [...NODE, ...words], {
    env: { ...inherited, MILLHAND_LOG_LEVEL: 'info', MILLHAND_DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const forget = () => child.kill('SIGKILL')
  process.once('exit', forget)
  const output = { stdout: '', stderr: '' }
  const ready = Promise.withResolvers<Readonly<Record<'http' | 'grpc', string>>>()
  ready.promise.catch(() => {})
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    const line = /^\{"ready":true.*\}$/m.exec(output.stdout)
    if (line) ready.resolve(JSON.parse(line[0]))
  })
  const end = once(child, 'close').then(([code, signal]) => {
    process.off('exit', forget)
    ready.reject(new Error(`${words.join(' ')} ended with ${signal ?? code}\n${output.stderr}`))
    return signal ?? code
  })
  return {
    pid: child.pid as number,
    ready: ready.promise,
    end,
    output,
    kill: signal => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await end
    },
  }
}

const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url))
const NODE = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning']

/** Our own environment without what would configure it or tell it that a test runner is its parent. */
export const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MILLHAND_|NODE_TEST_CONTEXT|npm_)/.test(name)),
)

/** The operator's secret of the tests, and what it makes. */
export const operatorSecret = 'the operator of the deployment that is under test'
const issuer = createCredentialsIssuer(Buffer.from(operatorSecret))
export const credentialsFor = (service: CallerName, expiresAt?: number): Environment =>
  credentialsOf(issuer, service, expiresAt)

/** An address for a process that others have to know before it listens: nobody takes it in the meantime. */
export const freeAddress = async (): Promise<string> => `127.0.0.1:${await freePort()}`
