/**
 * Loaded before a server under test: SIGUSR2 begins to measure, and the next one ends it and writes to
 * `BENCH_PROFILE_FILE`. `BENCH_PROFILE` says what: `counts` of calls, or `cpu`, a profile of the main thread as DevTools reads it and the processor
 * time that it had meanwhile: samples are taken by the clock, also while others have the processor.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'
import type { Counts } from './counts.ts'

/** Samples a second: 4,000. */
const INTERVAL_US = 250

const { BENCH_PROFILE: what, BENCH_PROFILE_FILE: file } = process.env

if (isMainThread && file !== undefined) {
  const { begin, end } = what === 'cpu' ? cpuProfile() : await counting()
  let isRunning = false
  process.on('SIGUSR2', () => {
    isRunning = !isRunning
    if (isRunning) begin()
    // Who waits for the file finds all of it.
    writeFileSync(`${file}.part`, isRunning ? '{"began":true}' : JSON.stringify(end()))
    renameSync(`${file}.part`, file)
  })
}

interface Measurement {
  begin(): void
  end(): unknown
}

function cpuProfile(): Measurement {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  let began = process.threadCpuUsage()
  return {
    begin() {
      began = process.threadCpuUsage()
      session.post('Profiler.start')
    },
    end() {
      const { user, system } = process.threadCpuUsage(began)
      let found: unknown
      // The callback is called before `post` returns: the session is of this thread.
      session.post('Profiler.stop', (error, result) => {
        if (error) throw error
        found = result.profile
      })
      return { profile: found, processorUs: user + system }
    },
  }
}

async function counting(): Promise<Measurement> {
  const { countCalls } = await import('./count-calls.ts')
  const counts = countCalls()
  let before: Counts = { ...counts }
  return {
    begin() {
      before = { ...counts }
    },
    end: () =>
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count - before[name as keyof Counts]])),
  }
}
