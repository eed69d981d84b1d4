import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRecent } from './recent.ts'

describe('recent', () => {
  it('never holds more than its size, and always the latest half of it', () => {
    for (const last of [49, 50, 99, 100, 101, 149, 999]) {
      const recent = createRecent<number>(100)
      for (let at = 0; at <= last; at++) recent.set(String(at), at)
      for (let at = last - 49; at <= last; at++) assert.equal(recent.get(String(at)), at)
      const held = Array.from({ length: last + 1 }, (_, at) => at).filter(at => recent.get(String(at)) !== undefined)
      assert.ok(held.length <= 100, `${held.length} are held`)
    }
  })

  it('keeps what is asked for while others come and go', () => {
    const recent = createRecent<string>(10)
    recent.set('kept', 'value')
    for (let at = 0; at < 1_000; at++) {
      recent.set(String(at), 'other')
      assert.equal(recent.get('kept'), 'value')
    }
  })
})
