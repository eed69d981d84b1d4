import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readStat, readSwap, usageOf, withSwap } from './process-usage.ts'

const skip = process.platform === 'linux' ? false : 'needs the /proc of Linux'

it('the kernel’s line of a process is read whatever its program is called', { skip }, () => {
  const after = 'S 1 7 7 0 -1 4194560 100 0 0 0 150 50 20 5 20 0 11 0 1000 9999999 2048 18446744073709551615'
  for (const name of ['node', 'a b', ') R 1 1', '((', '']) {
    const { memoryBytes, processorMs } = readStat(`7 (${name}) ${after}`)
    assert.equal(processorMs, 2_250, name)
    assert.ok(memoryBytes >= 2048 * 4096 && memoryBytes % 2048 === 0, name)
  }
})

it('a process is measured, and one that is not there is not', { skip }, () => {
  const usage = usageOf(process.pid)
  assert.ok(usage && usage.memoryBytes > 20e6 && usage.processorMs > 0, JSON.stringify(usage))
  assert.equal(usageOf(2 ** 30), undefined)
})

it('what is swapped out is memory, where that is asked for', { skip }, () => {
  assert.equal(readSwap('Name:\ta\nVmRSS:\t    100 kB\nVmSwap:\t   2048 kB\nThreads:\t1\n'), 2 * 2 ** 20)
  assert.equal(readSwap('Name:\tVmSwap: 7 kB\nThreads:\t1\n'), 0)
  assert.ok((withSwap(process.pid)?.memoryBytes ?? 0) > 20e6)
  assert.equal(withSwap(2 ** 30), undefined)
})
