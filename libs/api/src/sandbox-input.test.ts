import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSandboxInput, type SandboxInput } from './sandbox-input.ts'

const table: [input: string, asks: SandboxInput | undefined][] = [
  ['sandbox:fail', { kind: 'fail' }],
  ['sandbox:fail, please', { kind: 'fail' }],
  ['sandbox:stream\nmore', { kind: 'stream' }],
  ['sandbox:queue_timeout', { kind: 'queue_timeout' }],
  ['sandbox:slow:1500', { kind: 'slow', ms: 1_500 }],
  ['sandbox:slow:0 and more', { kind: 'slow', ms: 0 }],
  ['sandbox:error:rate_limited', { kind: 'error', code: 'rate_limited' }],
  ['sandbox:error:no_such_thing.', { kind: 'error', code: 'no_such_thing' }],
  ['sandbox:failure', undefined],
  ['sandbox:fail:x', { kind: 'fail' }],
  ['sandbox:slow', undefined],
  ['sandbox:slow:', undefined],
  ['sandbox:slow:1s', undefined],
  ['sandbox:slow:-1', undefined],
  ['sandbox:slow:600001', { kind: 'slow', ms: 600_000 }],
  ['sandbox:slow:12345678901234567890', { kind: 'slow', ms: 600_000 }],
  ['sandbox:error', undefined],
  ['sandbox:error:', undefined],
  ['sandbox:error:NotSnake', undefined],
  ['sandbox:error:kebab-case', undefined],
  ['sandbox:error:_a', undefined],
  [`sandbox:error:${'a'.repeat(65)}`, undefined],
  [' sandbox:fail', undefined],
  ['Sandbox:fail', undefined],
  ['sandbox', undefined],
  ['', undefined],
]

for (const [input, asks] of table) {
  test(`${JSON.stringify(input.slice(0, 40))} asks the sandbox for ${asks?.kind ?? 'nothing'}`, () => {
    assert.deepEqual(readSandboxInput(input), asks)
  })
}
