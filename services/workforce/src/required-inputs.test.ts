/** From a brief that says nothing no kind makes anything: it is told what it would need. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requiredInputFaults } from './required-inputs.ts'

const kind = { id: 'write_poem', needs: ['topic', 'input.lines', 'files'] }
const fault = {
  param: 'topic',
  code: 'missing_parameter',
  message: '`write_poem` needs at least one of `topic`, `input.lines`, `files`.',
}

describe('what a kind needs one of', () => {
  for (const [name, given] of Object.entries<object>({
    nothing: {},
    'something else': { input: { title: 'Rain' } },
    'a blank topic': { topic: ' \n' },
    'a topic that nobody sees': { topic: ' \u200b\u2060\u202e ' },
    'joiners that join nothing': { topic: '\u200d\u200c\ufe0f' },
    'no lines': { input: { lines: [] } },
    'blank lines': { input: { lines: ['', ' ', { text: '' }] } },
  }))
    it(`is told to who gives ${name}`, () =>
      assert.deepEqual(requiredInputFaults(kind, { files: [], ...given }), [fault]))

  for (const [name, given] of Object.entries<object>({
    'a topic': { topic: 'Rain' },
    'a file': { files: ['file_1'] },
    'a line': { input: { lines: ['', 'It rains.'] } },
    'a number': { input: { lines: 0 } },
  }))
    it(`is there with ${name}`, () => assert.deepEqual(requiredInputFaults(kind, { files: [], ...given }), []))

  it('is nothing where its schema says all', () =>
    assert.deepEqual(requiredInputFaults({ id: 'draw' }, { files: [] }), []))
})
