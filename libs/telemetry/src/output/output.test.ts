import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOutput } from './output.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A destination that takes what `takes` says, or fails as it says; once `takes` is over it takes everything. */
function open(takes: (number | string)[], maxBytes?: number) {
  let written = ''
  const pauses: (() => void)[] = []
  const write = (bytes: Uint8Array) => {
    const most = takes.shift() ?? bytes.length
    if (typeof most === 'string') throw failure(most)
    const part = bytes.subarray(0, most)
    written += Buffer.from(part).toString()
    return part.length
  }
  const output = createOutput(
    { write, writeAtExit: write },
    { ...(maxBytes !== undefined && { maxBytes }), pause: () => new Promise(resolve => pauses.push(resolve)) },
  )
  let dropped = 0
  output.onDropped(() => dropped++)
  output.notice = lines => `dropped ${lines}\n`
  const again = async () => {
    pauses.shift()?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { output, again, written: () => written, dropped: () => dropped }
}

describe('output', () => {
  it('writes each line at once', () => {
    const { output, written } = open([])
    output.write('one\n')
    assert.equal(written(), 'one\n')
    output.write('two\n')
    assert.equal(written(), 'one\ntwo\n')
  })

  for (const code of ['EPIPE', 'ENOSPC', 'EIO', 'ENXIO', 'EBADF']) {
    it(`drops and counts what fails with ${code}, and says how many lines once it works again`, () => {
      const { output, written, dropped } = open([code, code])
      output.write('one\n')
      output.write('two\n')
      assert.equal(written(), '')
      assert.equal(dropped(), 2)
      output.write('three\n')
      assert.equal(written(), 'three\ndropped 2\n')
      output.write('four\n')
      assert.equal(written(), 'three\ndropped 2\nfour\n')
      assert.equal(dropped(), 2)
    })
  }

  it('keeps lines for a slow reader, in order, and goes on in the middle of one', async () => {
    const { output, again, written, dropped } = open([2, 'EAGAIN', 'EAGAIN'])
    output.write('one\n')
    output.write('two\n')
    assert.equal(written(), 'on')
    await again()
    await again()
    assert.equal(written(), 'one\ntwo\n')
    assert.equal(dropped(), 0)
  })

  it('drops what is beyond its bound while nobody reads, and says so afterwards', async () => {
    const { output, again, written, dropped } = open(['EAGAIN'], 8)
    for (const line of ['one\n', 'two\n', 'no\n', 'no\n']) output.write(line)
    assert.equal(dropped(), 2)
    await again()
    assert.equal(written(), 'one\ntwo\ndropped 2\n')
  })

  it('ends a line that was cut before it writes the next', () => {
    const { output, written } = open([2, 'ENOSPC'])
    output.write('one\n')
    output.write('two\n')
    assert.equal(written(), 'on\ntwo\ndropped 1\n')
  })

  it('writes at the end what waits, and gives up on a reader that does not read', () => {
    const waits = open(['EAGAIN'])
    waits.output.write('one\n')
    waits.output.flush()
    assert.equal(waits.written(), 'one\n')
    const stuck = open(Array(10_000).fill('EAGAIN'))
    stuck.output.write('one\n')
    stuck.output.flush()
    assert.equal(stuck.written(), '')
  })

  it('does not write a second time at the end what is being written', async () => {
    let written = ''
    const finished = Promise.withResolvers<number>()
    const output = createOutput({
      write: bytes => {
        written += Buffer.from(bytes).toString()
        return finished.promise
      },
      writeAtExit: bytes => {
        written += Buffer.from(bytes).toString()
        return bytes.length
      },
    })
    output.write('one\n')
    output.write('two\n')
    output.flush()
    assert.equal(written, 'one\ntwo\n')
  })
})
