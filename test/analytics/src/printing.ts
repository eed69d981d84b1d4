import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A command that goes on until it is told to end. */
export interface Printing extends AsyncDisposable {
  /** Resolves with all that it has printed once `enough` says so; rejects where it ends before that. */
  until(enough: (printed: string) => boolean): Promise<string>
  /** Resolves with all that it has printed when it has ended by itself with exit code 0; else rejects. */
  ended(): Promise<string>
}

/** Runs a line of a shell; when the signal ends or it is disposed, it and all that it started are gone. */
export function startPrinting(
  line: string,
  place: { readonly folder: string; readonly path: string },
  signal: AbortSignal,
): Printing {
  const shell = spawn('bash', ['-c', line], {
    cwd: place.folder,
    env: { ...process.env, PATH: place.path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A group of its own, to end whole.
  })
  const closed = once(shell, 'close')
  let printed = ''
  let errors = ''
  let more = Promise.withResolvers<void>()
  shell.stdout.setEncoding('utf8').on('data', text => {
    printed += text
    more.resolve()
    more = Promise.withResolvers()
  })
  shell.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const kill = () => {
    if (shell.exitCode === null && shell.signalCode === null && shell.pid) process.kill(-shell.pid, 'SIGKILL')
  }
  signal.addEventListener('abort', kill)
  const failure = (code: unknown) => new Error(`\`${line}\` ended with ${code}\n${printed}${errors}`)
  return {
    async until(enough) {
      while (!enough(printed)) {
        const [code] = await Promise.race([closed, more.promise.then(() => [])])
        if (code !== undefined && !enough(printed)) throw failure(code)
      }
      return printed
    },
    async ended() {
      const [code] = await closed
      if (code !== 0) throw failure(code)
      return printed
    },
    async [Symbol.asyncDispose]() {
      kill()
      await closed
    },
  }
}
