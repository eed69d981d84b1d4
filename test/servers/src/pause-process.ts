/** SIGSTOP that has taken effect. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Of a machine that is very busy. */
const LIMIT_MS = 60_000

/**
 * Returns once no thread of the process runs any more. The signal is sent at once and takes effect thread by thread, as each gets
 * the processor: on a busy machine a server answers for a while after it.
 */
export function pauseProcess(pid: number | undefined): void {
  if (!signalled(pid, 'SIGSTOP')) return
  const threads = `/proc/${pid}/task`
  if (!existsSync(threads)) return // Other systems do not tell.
  const moment = new Int32Array(new SharedArrayBuffer(4))
  for (
    const deadline = performance.now() + LIMIT_MS;
    readdirSync(threads).some(id => runs(`${threads}/${id}/stat`));
  ) {
    if (performance.now() > deadline) throw new Error(`the process ${pid} does not stop`)
    Atomics.wait(moment, 0, 0, 1)
  }
}

/** By proc_pid_stat(5): the state comes after the name in parentheses, which may hold any character. */
function runs(stat: string): boolean {
  try {
    const text = readFileSync(stat, 'utf8')
    return !/^[TtZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch {
    return false // The thread has ended.
  }
}

/** Sends a signal; false where the process has ended, as it may by the signal before. */
export function signalled(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
