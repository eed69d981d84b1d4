/**
 * What checking a request costs: `node libs/rpc/src/validation/checks.bench.ts [windows]`. For each message the generated
 * check and protovalidate, with V8's engine for its patterns, take turns; the least of the windows counts.
 */
import { argv, hrtime, stdout } from 'node:process'
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { ClaimRequestSchema, FinishRequestSchema } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { violations } from './validation.ts'

const id = '01kaje5z1cf6tvnyxkkhbm3v8h'
const windows = Number(argv[2] ?? 200)
const callsPerWindow = 500
const compiled = new Map<string, RegExp>()
const validator = createValidator({
  regexMatch(pattern, text) {
    const known = compiled.get(pattern) ?? new RegExp(pattern, 'u')
    compiled.set(pattern, known)
    return known.test(text)
  },
})

measure(CreateTaskRequestSchema, { type: 1, model: 'digits', input: '{"image":[0,1,2,3]}', metadata: { a: 'b' } })
measure(ClaimRequestSchema, {
  executorId: 'exec-1',
  pool: 'live/onnx',
  runs: 8,
  waitMs: 20_000,
  busyGroups: ['digits'],
})
measure(FinishRequestSchema, {
  executorId: 'exec-1',
  pool: 'live/onnx',
  results: [
    {
      leaseId: `lease_${id}`,
      tenant: `acct_${id}/live`,
      workId: `task_${id}`,
      attempt: 1,
      outcome: { case: 'output', value: '{"label":"7","scores":[0.1,0.2]}' },
      computeMs: 3,
      engineName: 'onnxruntime 1.30.0',
      engineKind: 'onnx',
      provider: 'cpu',
      groupVersion: `sha256:${'a'.repeat(64)}`,
    },
  ],
})

function measure<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): void {
  const message = create(desc, init)
  if (violations(desc, message).length > 0) throw new Error(`${desc.typeName} is to be valid`)
  const least = { generated: Number.POSITIVE_INFINITY, protovalidate: Number.POSITIVE_INFINITY }
  for (let window = 0; window < windows; window++) {
    least.generated = Math.min(
      least.generated,
      microseconds(() => violations(desc, message)),
    )
    least.protovalidate = Math.min(
      least.protovalidate,
      microseconds(() => validator.validate(desc, message)),
    )
  }
  const { generated, protovalidate } = least
  stdout.write(`${desc.name}: generated ${generated.toFixed(2)} µs, protovalidate ${protovalidate.toFixed(2)} µs\n`)
}

/** Of one call. */
function microseconds(call: () => unknown): number {
  const start = hrtime.bigint()
  for (let left = callsPerWindow; left > 0; left--) call()
  return Number(hrtime.bigint() - start) / 1_000 / callsPerWindow
}
