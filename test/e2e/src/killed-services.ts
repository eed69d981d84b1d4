/** Services that are killed under a running product, in each of its shapes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { descendants, isAlive } from './processes.ts'
import type { Server } from './server.ts'

/** A start on a full machine takes over a minute. */
const SERVES_WITHIN_MS = 600_000

/**
 * SIGKILL to the processes of these services at once, where each has its own; else to the one process. Resolves once they have
 * been started again, and requests that read are answered.
 */
export async function killServices(server: Server, services: readonly string[]): Promise<void> {
  const pids = descendants(server.pid)
    .map(({ pid }) => pid)
    .filter(pid => services.some(service => commandOf(pid).includes(`/serve.ts\0${service}\0`)))
  if (pids.length === 0) {
    await server.kill()
    return await server.restart()
  }
  assert.equal(pids.length, services.length)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  const isServing = async () => {
    const answers = await Promise.all(['tasks', 'instances'].map(all => server.request('GET', `/v1/${all}?limit=1`)))
    return answers.every(({ status }) => status === 200)
  }
  for (const limit = performance.now() + SERVES_WITHIN_MS; pids.some(isAlive) || !(await isServing()); await pause(100))
    assert.ok(performance.now() < limit, `${services} do not serve`)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It has gone in the meantime.
  }
}
