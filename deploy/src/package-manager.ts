/**
 * Stops with the package manager that started us. `npx pnpm start` that is killed leaves its children running; whoever
 * killed it meant the server. Started by anything else, we do not care who our parent is.
 */
import { readFileSync } from 'node:fs'
import type { Runner } from '@millhand/runner'

const lookEveryMs = 1_000

export function stopWithPackageManager(runner: Runner): void {
  if (!process.env.npm_lifecycle_event) return
  const starters = ancestors().filter(({ command }) => /\b(pnpm|npx|npm exec|npm start)\b/.test(command))
  if (starters.length === 0) return
  const timer = setInterval(() => {
    if (starters.every(({ pid, startedAt }) => startedAt === statOf(pid)?.startedAt)) return
    clearInterval(timer)
    void runner.stop('the package manager that started this has gone')
  }, lookEveryMs)
  timer.unref()
}

/** From the parent up, as far as the process table tells; nothing where there is no /proc. */
function ancestors(): { pid: number; startedAt: string; command: string }[] {
  const found = []
  for (let pid = process.ppid; pid > 1; ) {
    const stat = statOf(pid)
    if (!stat) break
    found.push({ pid, startedAt: stat.startedAt, command: commandOf(pid) })
    pid = stat.parent
  }
  return found
}

/** Start time too, since a pid is used again. proc(5): fields 4 and 22; the name in brackets may hold anything. */
function statOf(pid: number): { parent: number; startedAt: string } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' ? undefined : { parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
