import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { LeaseSchema } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { RunnerGone } from '@millhand/child-process'
import { type HeldLease, holdLease } from './lease.ts'
import { failure, outcomes } from './outcome.ts'

const messageOf = (code: string, said: string) => {
  const outcome = failure(code, said, false)
  return outcome.case === 'failure' ? outcome.value.message : undefined
}

test('a task that failed tells no path of the machine, whatever the library says that failed it', () => {
  const source = '/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376'
  const file = `${tmpdir()}/millhand-model-1-2-abcdef/0.in`
  for (const code of ['model_failed', 'model_broken', 'engine_failed', 'engine_broken', 'output_too_large']) {
    assert.equal(messageOf(code, `No memory (${source}): ${file} at /usr/lib/x.so.1`), 'No memory (…): … at …')
  }
})

test('a run that was ended for another of its process goes back', () => {
  const engine = { kind: 'gguf', name: 'x', provider: 'cpu' }
  const { ofError } = outcomes({ engine, loads: 'model' }, undefined)
  assert.equal(ofError(new RunnerGone('evicted', 'another run did not stop')).case, 'evicted')
  assert.equal(ofError(new RunnerGone('crashed', 'it ended by itself')).case, 'failure')
})

test('a message that quotes its caller keeps his paths, and only those', () => {
  const file = `${tmpdir()}/millhand-inputs-1-2-abcdef/0.in`
  for (const code of ['model_input_invalid', 'brief_refused', 'answer_invalid']) {
    assert.equal(messageOf(code, `\`/src/app/a.ts\` is empty: ${file}`), '`/src/app/a.ts` is empty: …')
  }
})

test('a run over its time names the field that limited it, its value, what it waited for and what to do', () => {
  const engine = { kind: 'rules', name: 'x', provider: 'cpu' }
  const late: HeldLease = {
    ...holdLease(create(LeaseSchema), 0),
    runTimeoutMs: 2_500,
    stop: 'run_timeout',
    waitsFor: 'Nobody came.',
  }
  for (const [loads, field] of [
    ['model', 'run_timeout_s'],
    ['engine', 'timeout_s'],
  ] as const) {
    const { case: kind, value } = outcomes({ engine, loads }, undefined).ofStop(late)
    assert.deepEqual(
      kind === 'failure' && value.message,
      `The run took longer than the 2.5 s of its \`${field}\`, and was stopped. Nobody came. Create the task again later, or with a larger \`${field}\`.`,
    )
  }
})
