/** How often a model runs for the shapes of its values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { openNetwork } from './network.fixture.ts'
import { traceModel } from './trace.ts'

/** Names of the values that each run gives, of a model of so many nodes in a row. */
async function runsOf(nodes: number): Promise<readonly (readonly string[])[]> {
  const network = openNetwork()
  let value = network.input('x', [1, 4])
  for (let at = 0; at < nodes; at += 1) value = network.node('Relu', [value])
  const runs: string[][] = []
  await traceModel(fromBinary(ModelProtoSchema, network.bytes(value)), new Map(), new Set(), async model => {
    runs.push(fromBinary(ModelProtoSchema, model).graph?.output.map(({ name }) => name) ?? [])
    return new Map()
  })
  return runs
}

test('a run has few values, and a model of many nodes has no more runs for it', async () => {
  assert.deepEqual(
    (await runsOf(30)).map(({ length }) => length),
    [12, 12, 6],
  )
  const runs = await runsOf(2_000)
  assert.ok(runs.length <= 40, `${runs.length} runs`)
  assert.equal(new Set(runs.flat()).size, 2_000)
})
