/**
 * Stops with the package manager that started us. `npx pnpm start` that is killed leaves its children running; whoever
 * killed it meant the server. Started by anything else, we do not care who our parent is.
 */
import { readFileSync } from 'node:fs'
import type { Runner } from '@millhand/process'

const lookEveryMs = 1_000

export function stopWithPackageManager(runner: Runner): void {
  if (!process.env.npm_lifecycle_event) return
  const starters = ancestors().filter(({ command }) => /\b(pnpm|npx|npm exec|npm start)\b/.test(command))
  if (starters.length === 0) return
  const timer = setInterval(() => {
    if (!starters.some(hasGone)) return
    clearInterval(timer)
    void runner.stop('the package manager that started this has gone')
  }, lookEveryMs)
  timer.unref()
}

interface Ancestor {
  readonly pid: number
  readonly startedAt: string
  readonly command: string
}

/** From the parent up, as far as the process table tells; nothing where there is no /proc. */
function ancestors(): Ancestor[] {
  const found: Ancestor[] = []
  for (let pid = process.ppid; pid > 1; ) {
    const stat = statOf(pid)
    if (typeof stat === 'string') break
    found.push({ pid, startedAt: stat.startedAt, command: commandOf(pid) })
    pid = stat.parent
  }
  return found
}

function hasGone({ pid, startedAt }: Ancestor): boolean {
  const stat = statOf(pid)
  return stat === 'gone' || (stat !== 'unknown' && stat.startedAt !== startedAt)
}

interface Stat {
  readonly parent: number
  readonly startedAt: string
}

/** Start time too, since a pid is used again. proc(5): fields 4 and 22; the name in brackets may hold anything. */
function statOf(pid: number): Stat | 'gone' | 'unknown' {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' ? 'gone' : { parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch (error) {
    // It went before, or while, it was read. What else fails, as where no file descriptor is left, says nothing of it.
    return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'gone' : 'unknown'
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
