import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { KeyedBatcher } from './keyed-batcher.ts'

suite('KeyedBatcher', () => {
  function open() {
    const batcher = new KeyedBatcher<string>()
    const begun: string[] = []
    const ends: PromiseWithResolvers<void>[] = []
    const join = (key: string, one: string) =>
      batcher.join(key, one, all => {
        begun.push(`${key}: ${all.join(' ')}`)
        const end = Promise.withResolvers<void>()
        ends.push(end)
        return end.promise
      })
    return { join, begun, ends }
  }

  test('the first is begun at once, and those who come meanwhile are done together', async () => {
    const { join, begun, ends } = open()
    const first = join('a', '1')
    const others = Promise.all([join('a', '2'), join('a', '3')])
    await turn()
    assert.deepEqual(begun, ['a: 1'])
    ends[0]?.resolve()
    await first
    await turn()
    assert.deepEqual(begun, ['a: 1', 'a: 2 3'])
    const last = join('a', '4')
    ends[1]?.resolve()
    await others
    await turn()
    assert.deepEqual(begun, ['a: 1', 'a: 2 3', 'a: 4'])
    ends[2]?.resolve()
    await last
  })

  test('keys do not wait for one another', async () => {
    const { join, begun } = open()
    void join('a', '1')
    void join('b', '2')
    await turn()
    assert.deepEqual(begun, ['a: 1', 'b: 2'])
  })

  test('work that fails fails for those it was for, and the next is begun', async () => {
    const { join, begun, ends } = open()
    const first = join('a', '1')
    const second = join('a', '2')
    const third = join('a', '3')
    ends[0]?.resolve()
    await first
    await turn()
    ends[1]?.reject(new Error('the disk is full'))
    await assert.rejects(second, /the disk is full/)
    await assert.rejects(third, /the disk is full/)
    const last = join('a', '4')
    await turn()
    assert.deepEqual(begun.at(-1), 'a: 4')
    ends[2]?.resolve()
    await last
  })
})
