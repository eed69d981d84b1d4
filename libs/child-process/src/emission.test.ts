import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bounded, type Emission, PieceTooLarge } from './emission.ts'

describe('an emission', () => {
  it('within bounds stays as it is', () => {
    const emissions: Emission[] = [
      { kind: 'output', json: JSON.stringify('x'.repeat(64 * 1024 - 2)) },
      { kind: 'log', text: 'x'.repeat(8 * 1024) },
      { kind: 'progress', fraction: 0.5, message: 'half', metrics: { loss: -1.5 } },
      { kind: 'progress', fraction: 1 },
    ]
    for (const emission of emissions) assert.deepEqual(bounded(emission), emission)
  })

  it('is cut to them by whole characters', () => {
    const log = bounded({ kind: 'log', text: '😀'.repeat(3_000) })
    assert.ok(log.kind === 'log' && /^(😀)+…$/u.test(log.text))
    const bytes = Buffer.byteLength(log.text)
    assert.ok(bytes <= 8 * 1024 && bytes > 8 * 1024 - 8)
    const metrics = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`metric_${i}`, i]))
    const progress = bounded({
      kind: 'progress',
      fraction: 1.5,
      message: '😀'.repeat(10_000),
      metrics: { loss: Number.NaN, [`long ${'x'.repeat(64)}`]: 1, '': 1, ...metrics },
    })
    assert.ok(progress.kind === 'progress')
    assert.equal(progress.fraction, 1)
    assert.ok((progress.message?.length ?? 0) <= 512)
    assert.deepEqual(Object.keys(progress.metrics ?? {}), Object.keys(metrics).slice(0, 32))
  })

  it('of output can not be cut', () => {
    assert.throws(() => bounded({ kind: 'output', json: JSON.stringify('x'.repeat(64 * 1024)) }), PieceTooLarge)
  })

  it('that is none is refused', () => {
    const none: unknown[] = [
      { kind: 'output', json: 'no JSON' },
      { kind: 'output', json: 1 },
      { kind: 'output', json: Buffer.from('1') },
      { kind: 'log', text: Buffer.from('x') },
      { kind: 'log' },
      { kind: 'progress', fraction: 1n },
      { kind: 'progress', fraction: 1, message: 5 },
      { kind: 'progress', fraction: 1, metrics: null },
      { kind: 'nothing' },
      null,
    ]
    for (const [index, one] of none.entries()) assert.throws(() => bounded(one as Emission), `${index}`)
  })
})
