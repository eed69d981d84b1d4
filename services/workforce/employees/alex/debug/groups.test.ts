/** Groups of exceptions in Python: every branch is read, and named. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from './engine.ts'

describe('the trace', () => {
  it('of a group has every exception of the groups in it, raised or not', async () => {
    const trace = [
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "/app/jobs.py", line 40, in <module>',
      '  |     main()',
      '  | ExceptionGroup: jobs failed (4 sub-exceptions)',
      '  +-+---------------- 1 ----------------',
      '    | asyncio.exceptions.CancelledError',
      '    +---------------- 2 ----------------',
      '    | Exception Group Traceback (most recent call last):',
      '    |   File "/app/jobs.py", line 22, in load',
      '    |     raise ExceptionGroup("loading", errors)',
      '    | ExceptionGroup: loading (3 sub-exceptions)',
      '    +-+---------------- 1 ----------------',
      '      | Traceback (most recent call last):',
      '      |   File "/app/jobs.py", line 14, in fetch',
      '      |     return prices[name]',
      "      | KeyError: 'tea'",
      '      | ',
      '      | The above exception was the direct cause of the following exception:',
      '      | ',
      '      | Traceback (most recent call last):',
      '      |   File "/app/jobs.py", line 16, in fetch',
      '      |     raise LookupError("no price") from error',
      '      | LookupError: no price',
      '      +---------------- 2 ----------------',
      '      | ValueError: a bad amount',
      '      +---------------- 3 ----------------',
      '      | ValueError: no amount',
      '      +---------------- ... ----------------',
      '      | and 7 more exceptions',
      '      +------------------------------------',
      '    +---------------- 3 ----------------',
      '    | Traceback (most recent call last):',
      '    |   File "/app/jobs.py", line 31, in save',
      '    |     file.write(1)',
      '    | TypeError: write() argument must be str, not int',
      '    +---------------- 4 ----------------',
      '    | ExceptionGroup: never raised (1 sub-exception)',
      '    +-+---------------- 1 ----------------',
      '      | OSError: [Errno 28] No space left on device',
      '      +------------------------------------',
    ].join('\n')
    const asked = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { trace } }
    const { result, text, warnings = [] } = await rules(asked)
    assert.deepEqual(result.error, { type: 'KeyError', message: "'tea'" })
    assert.deepEqual(
      result.became.map(({ type, message }) => `${type}: ${message}`),
      [
        'LookupError: no price',
        'ExceptionGroup: loading (3 sub-exceptions)',
        'ExceptionGroup: jobs failed (4 sub-exceptions)',
      ],
    )
    assert.equal(result.failing_frame?.line, 14)
    assert.deepEqual(
      result.others.map(({ type, line }) => [type, line]),
      [
        ['asyncio.exceptions.CancelledError', null],
        ['ValueError', null],
        ['ValueError', null],
        ['TypeError', 31],
        ['OSError', null],
      ],
    )
    for (const { message } of result.others) assert.ok(text.includes(message), message)
    assert.match(result.causes.map(({ cause }) => cause).join('\n'), /same group: TypeError: .*line 31/)
    assert.match(warnings.join('\n'), /The trace leaves out 7 exceptions of the group/)
  })

  it('of a group that was itself being handled is that of what went wrong then', async () => {
    const trace = [
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "/app/jobs.py", line 40, in run',
      '  |     main()',
      '  | ExceptionGroup: jobs failed (2 sub-exceptions)',
      '  +-+---------------- 1 ----------------',
      '    | ValueError: one',
      '    +---------------- 2 ----------------',
      '    | ValueError: two',
      '    +------------------------------------',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "/app/jobs.py", line 44, in <module>',
      '    report(group)',
      'TypeError: report() takes 0 positional arguments but 1 was given',
    ].join('\n')
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { trace } })
    assert.deepEqual([result.error.type, result.failing_frame?.line, result.others], ['TypeError', 44, []])
    assert.match(result.causes.map(({ cause }) => cause).join('\n'), /another error was handled: ValueError: one/)
  })
})
