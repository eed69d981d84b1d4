/**
 * Preloaded into each process (`--import`): at SIGUSR2 its calendar goes ahead of the machine's by as many milliseconds
 * as the last line of `FAULTS_CLOCK_FILE` says. Like a machine's clock that is set: `performance.now()` and timers go
 * on as they were.
 */
import { readFileSync } from 'node:fs'

const RealDate = Date
const realNow = Date.now
const file = process.env.FAULTS_CLOCK_FILE
let aheadMs = 0

class SetDate extends RealDate {
  constructor(...words: unknown[]) {
    if (words.length === 0) super(realNow() + aheadMs)
    else super(...(words as [number]))
  }
  static override now(): number {
    return realNow() + aheadMs
  }
}

if (file !== undefined) {
  globalThis.Date = SetDate as DateConstructor
  process.on('SIGUSR2', () => {
    aheadMs = Number(readFileSync(file, 'utf8').trim().split('\n').at(-1))
  })
}
