import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Emission } from '@millhand/child-process'
import { emitWindow, MOST_ON_THEIR_WAY } from './emit-window.ts'
import type { FromChild } from './protocol.ts'

const line = (index: number): Emission => ({ kind: 'log', text: `${index}` })
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

describe('the window of emissions', () => {
  it('lets so many go, and one more for each that was taken, in order', async () => {
    const sent: FromChild[] = []
    const { emit, taken } = emitWindow(message => sent.push(message))
    const all = Array.from({ length: MOST_ON_THEIR_WAY + 3 }, (_, index) => emit(index, line(index)))
    await turn()
    assert.equal(sent.length, MOST_ON_THEIR_WAY)
    for (let more = 1; more <= 3; more++) {
      taken()
      await turn()
      assert.equal(sent.length, MOST_ON_THEIR_WAY + more)
    }
    await Promise.all(all)
    assert.deepEqual(
      sent,
      all.map((_, index) => ({ kind: 'emission', item: index, emission: line(index) })),
    )
    for (let rest = 0; rest < MOST_ON_THEIR_WAY; rest++) taken()
    await Promise.all(Array.from({ length: MOST_ON_THEIR_WAY }, () => emit(0, line(0))))
  })

  it('sends nothing that is too large, and cuts the rest', async () => {
    const sent: FromChild[] = []
    const { emit } = emitWindow(message => sent.push(message))
    await assert.rejects(emit(0, { kind: 'output', json: JSON.stringify('x'.repeat(70_000)) }), {
      name: 'PieceTooLarge',
    })
    await emit(0, { kind: 'log', text: 'x'.repeat(70_000) })
    const [first] = sent
    assert.ok(first?.kind === 'emission' && first.emission.kind === 'log' && first.emission.text.length < 8_192)
  })
})
