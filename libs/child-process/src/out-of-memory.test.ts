import assert from 'node:assert/strict'
import { it } from 'node:test'
import { diedOfMemory, OUT_OF_MEMORY } from './out-of-memory.ts'

it('a process that ran out of memory is known by its last words, and none by what it quotes', () => {
  for (const words of [
    `half a line${OUT_OF_MEMORY}`,
    '\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n',
    '#\n# Fatal process out of memory: Failed to reserve virtual memory for CodeRange\n#\n',
    'RangeError: Failed to allocate memory\n    at createUnsafeBuffer (node:internal/buffer:1113:25)\n',
    "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
    '(process:7): GLib-ERROR **: 12:00:00.000: ../glib/gmem.c:106: failed to allocate 800 bytes\n',
  ])
    assert.ok(diedOfMemory(words), words)
  for (const words of [
    '',
    'Error: no column `Out of memory kills`\n    at rules (engine.ts:1:1)\n',
    'SyntaxError: Unexpected token \'O\', "Out of memory" is not valid JSON\n',
    'Warning: cannot allocate memory.txt, bad_alloc, OOM error\n',
  ])
    assert.ok(!diedOfMemory(words), words)
})
