import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadInParallel } from './parallel-uploads.ts'

const files = Array.from({ length: 30 }, (_, at) => at)
const never = new AbortController().signal

/** Until the signal ends, with its reason. */
const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

describe('the files of a result', () => {
  it('have their ids in their order, whichever is there first', async () => {
    const ids = await uploadInParallel(files, never, async file => {
      await sleep((30 - file) % 5)
      return `file_${file}`
    })
    assert.deepEqual(
      ids,
      files.map(file => `file_${file}`),
    )
  })

  it('are sent sixteen at once, each once', async () => {
    let underWay = 0
    let most = 0
    const sent: number[] = []
    await uploadInParallel(files, never, async file => {
      sent.push(file)
      most = Math.max(most, ++underWay)
      await sleep(1)
      underWay--
      return ''
    })
    assert.equal(most, 16)
    assert.deepEqual(sent, files)
  })

  it('may be none', async () => {
    assert.deepEqual(await uploadInParallel([], never, () => assert.fail('nothing is sent')), [])
  })

  it('are given up with the first that can’t be stored: none is on its way any more, and its fault is told', async () => {
    const full = new Error('full')
    const sent: number[] = []
    let underWay = 0
    const sending = uploadInParallel(files, never, async (file, signal) => {
      sent.push(file)
      underWay++
      try {
        if (file === 2) throw full
        return await forever(signal)
      } finally {
        underWay--
      }
    })
    await assert.rejects(sending, full)
    assert.deepEqual([sent, underWay], [files.slice(0, 16), 0])
  })

  it('are given up where the signal ends, with its reason', { timeout: 300_000 }, async () => {
    const stopping = new AbortController()
    const stopped = new Error('stopped')
    const sending = uploadInParallel(files, stopping.signal, (_, signal) => forever(signal))
    stopping.abort(stopped)
    await assert.rejects(sending, stopped)
  })
})
