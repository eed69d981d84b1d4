import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cancel, claim, fail, finish, lived, lose, queued, report, rest, succeed } from './task-life.fixture.ts'

describe('a compute task', () => {
  it('is billed the compute time of the run that ended it, and names the model that ran', () => {
    const after = lived(queued, claim, succeed).at(-1)
    assert.deepEqual(after?.usage, { queue_ms: 100, compute_ms: 13, gpu_type: 'cpu', items: 1 })
    assert.equal(after?.cost_micros, 1) // 13 ms at 20 millionths a second, rounded up
    assert.deepEqual(after?.engine, { kind: 'onnx', name: 'onnxruntime', provider: 'cpu' })
    assert.equal(after?.model_version, 'sha256:b')
  })

  it('counts the tokens of a model that does', () => {
    const counted = finish({ kind: 'output', output: '1' }, { ...report, input_tokens: 20, output_tokens: 3 })
    const { usage } = lived(queued, claim, counted).at(-1) ?? {}
    assert.deepEqual([usage?.input_tokens, usage?.output_tokens], [20, 3])
  })

  it('is billed by the type of GPU that it ran on', () => {
    const onGpu = finish({ kind: 'output', output: '1' }, { ...report, gpu_type: 'nvidia-h200', provider: 'cuda' })
    const after = lived(queued, claim, onGpu).at(-1)
    assert.deepEqual([after?.usage?.gpu_type, after?.engine?.provider, after?.cost_micros], ['nvidia-h200', 'cuda', 13])
  })

  it('costs nothing in an instance of its own account, and says in which it ran', () => {
    const inInstance = { ...report, instance_id: 'inst_a' }
    for (const causes of [
      [claim, finish({ kind: 'output', output: '1' }, inInstance)],
      [claim, cancel, finish({ kind: 'cancelled' }, inInstance)],
    ]) {
      const after = lived(queued, ...causes).at(-1)
      assert.deepEqual([after?.cost_micros, after?.usage?.compute_ms, after?.usage?.instance_id], [0, 13, 'inst_a'])
    }
    const elsewhere = lived(queued, claim, lose, rest, claim, finish({ kind: 'output', output: '1' })).at(-1)
    assert.deepEqual([elsewhere?.cost_micros, elsewhere?.usage?.instance_id], [1, undefined])
  })

  it('costs nothing in the sandbox, and keeps the model that it was accepted for where none ran', () => {
    const none = { ...report, compute_ms: 5_000, group_version: '', engine_kind: '' }
    const failed = finish(
      { kind: 'failure', failure: { code: 'out_of_memory', message: 'No.', retryable: false } },
      none,
    )
    const after = lived({ ...queued, mode: 'test' }, claim, failed).at(-1)
    assert.deepEqual([after?.cost_micros, after?.engine, after?.model_version], [0, undefined, 'sha256:a'])
  })

  it('has the output of its run after a cancel only where it trains and says so', () => {
    const late = finish({ kind: 'output', output: '{"model":"model_a"}' }, { ...report, artifact_files: ['file_a'] })
    const training = { ...queued, type: 'training', parameters: { on_cancel: 'keep_best' } } as const
    const kept = lived(training, claim, cancel, late).at(-1)
    assert.deepEqual([kept?.status, kept?.output, kept?.trained_file], ['cancelled', '{"model":"model_a"}', 'file_a'])
    for (const task of [
      { ...training, parameters: {} },
      { ...training, type: 'inference' as const },
    ]) {
      const ended = lived(task, claim, cancel, late).at(-1)
      assert.deepEqual([ended?.status, ended?.output, ended?.trained_file], ['cancelled', undefined, undefined])
    }
    const failed = lived(training, claim, cancel, fail).at(-1)
    assert.deepEqual([failed?.status, failed?.output], ['cancelled', undefined])
  })

  for (const [end, causes] of Object.entries({
    'succeeds after a lost run': [claim, lose, rest, claim, succeed],
    fails: [claim, fail],
    'is cancelled while it runs': [claim, cancel, finish({ kind: 'cancelled' })],
    'is cancelled in the queue': [cancel],
    'loses all its runs': [claim, lose, rest, claim, lose],
  })) {
    it(`needs the file that is its input until it has ended: one that ${end}`, () => {
      const states = lived(queued, ...causes)
      assert.ok(states.every(({ input_file }) => input_file === 'file_b'))
      const [ended, ...before] = states.reverse()
      assert.equal(ended?.uses_file, undefined)
      assert.ok(before.every(({ uses_file }) => uses_file === 'yes'))
    })
  }
})
