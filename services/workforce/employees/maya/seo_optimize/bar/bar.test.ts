import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from '../findings/rules.ts'
import { judgeClean, judgePlanted } from './bar.ts'
import { plantedPages } from './plants.ts'

it('ten clean pages are found to be so', () => {
  const { pages, falseAlarms } = judgeClean()
  assert.equal(pages, 10)
  assert.deepEqual(falseAlarms, [])
})

describe('thirty pages with planted faults', () => {
  const { pages, missed, falseAlarms } = judgePlanted()

  it('have every one of them found at its place', () => {
    assert.equal(pages, 30)
    assert.deepEqual(missed, [])
  })

  it('have nothing found that was not planted', () => {
    assert.deepEqual(falseAlarms, [])
  })

  it('have a fault of every rule among them', () => {
    const planted = new Set(plantedPages.flatMap(({ plants }) => plants.map(({ rule }) => rule)))
    assert.deepEqual(
      Object.keys(rules).filter(rule => !planted.has(rule as keyof typeof rules)),
      [],
    )
  })
})
