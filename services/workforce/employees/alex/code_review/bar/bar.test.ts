import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measure } from './bar.ts'

const { planted, missed, patches, broken, falseAlarms } = await measure()

describe('forty planted faults', () => {
  it('are found in their lines by what is wrong there, at least thirty of them', () => {
    assert.equal(planted.length, 40)
    assert.ok(missed.length <= 10, JSON.stringify(missed))
  })

  it('get patches that apply and leave the file readable', () => {
    assert.ok(patches >= 5, String(patches))
    assert.equal(broken, 0)
  })

  it('are not seen where there is none', () => {
    assert.deepEqual(falseAlarms, [])
  })
})
