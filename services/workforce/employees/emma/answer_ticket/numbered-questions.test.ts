/** Plain lists of numbered questions, as packages have them, and lines that look like fences of code. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from './engine.ts'
import type { Input } from './result.ts'
import { passagesOf } from './search/passages.ts'

const headingsOf = (text: string) => passagesOf({ name: 'FAQ', text }).map(({ heading }) => heading)

const library = `
                Frequently Asked Questions about the library

 1. Is it ready for the year 2000?

    Yes. It does not handle dates.

 2. pack() returns BUFFER_ERROR.

    Make sure that before the call of pack() the length of the buffer is its
    size and not zero.

 3. unpack() returns BUFFER_ERROR.

    Make sure that avail_in is not zero.

 4. Where is its documentation?

    In lib.h.

 5. Does it run on big-endian machines, and can I
    exchange data between them?

    Yes and yes.
`

const tool = `Tool FAQ
Release 3.19.0
~~~~~~~~~~~~~~

Table of Contents
1. Background
2. Building

------------------------
1. Background
------------------------

1.1. How do you pronounce the name of the tool?
As two words.

------------------------
2. Building
------------------------

2.1. When building the tool, make dies partway with an assertion
failure, something like this:

    make: expand.c:489

It is a bug in make.
------------------------

2.2. What is the difference between "definitely lost" and "still
reachable" memory?

Definitely lost memory has no pointer to it. Still reachable memory has one.

2.3. Does it run on Windows?

No. It runs on Linux.
`

describe('a list of numbered questions', () => {
  it('is cut at each, also where one is no question', () =>
    assert.deepEqual(headingsOf(library).slice(1), [
      'Is it ready for the year 2000?',
      'pack() returns BUFFER_ERROR.',
      'unpack() returns BUFFER_ERROR.',
      'Where is its documentation?',
      'Does it run on big-endian machines, and can I exchange data between them?',
    ]))

  it('answers an entry without a question mark by itself', async () => {
    const knowledge = [{ title: 'FAQ', text: library }]
    const input: Input = { ticket: 'We call pack() and get BUFFER_ERROR back. What is wrong?', knowledge }
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
    assert.equal(result.passages[0]?.heading, 'pack() returns BUFFER_ERROR.')
    assert.doesNotMatch(result.answer ?? '', /avail_in|unpack/)
  })

  it('may have chapters, and a line of tildes is no beginning of code', () => {
    const headings = headingsOf(tool)
    for (const heading of [
      'How do you pronounce the name of the tool?',
      'When building the tool, make dies partway with an assertion failure, something like this:',
      'What is the difference between "definitely lost" and "still reachable" memory?',
      'Does it run on Windows?',
    ])
      assert.ok(headings.includes(heading), heading)
  })

  it('gives no whole document as an answer', async () => {
    const knowledge = [{ title: 'FAQ', text: tool }]
    const input: Input = { ticket: 'Does it run on Windows?', knowledge }
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
    assert.doesNotMatch(result.answer ?? '', /pronounce|Table of Contents/)
  })
})
