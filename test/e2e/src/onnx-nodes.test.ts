/**
 * The node tests of the ONNX standard as custom tasks: what ONNX Runtime's own Python package passes in the same run,
 * passes through HTTP to the same tolerance, or is refused because the runtime's Node binding does not carry its types.
 */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { type TestContext, test } from 'node:test'
import { pythonMissing } from '@millhand/test-servers'
import { upload } from './files.ts'
import { type CasesModel, nodeCases } from './node-cases.ts'
import { keyOf, newAccount } from './operator.ts'
import { requests, type Served, startServer } from './server.ts'

/** Every run has one part of the cases, by the commit (`TEST_PART`); without it, all, each in a model of its own. */
const { TEST_PART: part } = process.env
const PARTS = 3
/** Cases in one model: a model takes two processes, which take much longer than its cases. */
const IN_ONE_MODEL = 24

/** Accounts that send models at once. Of each, one file at a time is looked into. */
const ACCOUNTS = 2 * availableParallelism()

/** What a case can have that no task carries, by what its create answers with. */
const NOT_CARRIED = /is not carried|can't be passed out|can't be asked for/
const CARRIED = /^(float|double|float16|bool|string|u?int(8|16|32|64))$/

test("the ONNX standard's node tests pass as custom tasks where ONNX Runtime passes them", {
  skip: pythonMissing('onnx.backend.test', 'onnxruntime'),
  timeout: 3_600_000,
}, async t => {
  // Idle processes are unloaded early: no two cases have a model in common.
  await using server = await startServer({ env: { MILLHAND_MODELS_MEMORY_MB: '512' } })
  await using source = part === undefined ? nodeCases(0, 1, 1) : nodeCases(Number(part) % PARTS, PARTS, IN_ONE_MODEL)
  const counts = { notPassed: 0, passed: 0, refused: 0 }
  const faults: string[] = []
  const ran: { readonly cases: CasesModel; readonly output: object }[] = []

  const judge = async (cases: CasesModel, caller: Served) => {
    const result = await run(caller, cases)
    if ('refused' in result) {
      counts.refused += cases.names.length
      list(t, 'refused', `${cases.names} (${cases.types.join(', ')})`, result.refused)
      if (!NOT_CARRIED.test(result.refused) || cases.types.every(type => CARRIED.test(type)))
        faults.push(`${cases.names}: ${result.refused}`)
    } else if ('failed' in result) faults.push(`${cases.names}: ${result.failed}`)
    else ran.push({ cases, output: result.output })
  }

  const cases = source.cases[Symbol.asyncIterator]()
  const work = async () => {
    const key = await keyOf(server, await newAccount(server, 'of cases'))
    const caller = { ...server, request: requests(server.url, key) }
    for (let next = await cases.next(); !next.done; next = await cases.next()) {
      if ('names' in next.value) await judge(next.value, caller)
      else {
        counts.notPassed++
        list(t, 'not passed by ONNX Runtime', next.value.name, next.value.fault)
      }
    }
  }
  await Promise.all(Array.from({ length: ACCOUNTS }, work))
  for (const { cases, output } of ran) {
    for (const [name, fault] of Object.entries(await source.compare(cases, output))) {
      if (fault === null) counts.passed++
      else faults.push(`${name}: ${fault}`)
    }
  }
  const { passed, refused, notPassed } = counts
  t.diagnostic(
    `ONNX Runtime passes ${passed + refused + faults.length} cases, and ${notPassed} not; of those that it passes, ${passed} pass through HTTP, ${refused} are refused`,
  )
  assert.deepEqual(faults, [])
  assert.ok(passed > 2 * notPassed)
})

type Result = { readonly refused: string } | { readonly failed: string } | { readonly output: object }

/** Uploads the model and runs it on the inputs. */
async function run(caller: Served, { runtime, model, inputs, outputs, unwritable }: CasesModel): Promise<Result> {
  const file = await upload(caller, model, 'purpose=model', 'application/octet-stream')
  const input = JSON.stringify(inputs)
  const given =
    input.length <= MOST_CHARACTERS ? { input } : { input_file: (await upload(caller, input, 'purpose=input')).id }
  const create = () =>
    caller.request('POST', '/v1/tasks', {
      json: { type: 'custom', model: file.id, ...given, parameters: { outputs } },
      headers: { prefer: 'wait=60', 'idempotency-key': file.id },
    })
  let created = await create()
  // On a full machine looking into the file may take longer than a request: the answer says to send it again.
  for (let tries = 1; [503, 504].includes(created.status) && tries < 20; tries++) created = await create()
  if (created.status === 400) return { refused: created.body.detail }
  let task = created.body
  while (['queued', 'running'].includes(task.status)) {
    task = (await caller.request('GET', `/v1/tasks/${task.id}`, { headers: { prefer: 'wait=60' } })).body
  }
  if (task.status !== 'succeeded') return { failed: JSON.stringify(task.error ?? task) }
  assert.equal(task.engine.name, `onnxruntime ${runtime}`)
  if (unwritable !== null) return { failed: `it ran without an input: ${unwritable}` }
  if (!task.output_file) return { output: task.output }
  return { output: (await caller.request('GET', `/v1/files/${task.output_file}/content`)).body }
}

/** An input beyond it comes in a file. */
const MOST_CHARACTERS = 500_000

const list = (t: TestContext, what: string, name: string, why: string) =>
  t.diagnostic(`${what}: ${name}: ${why.trim().replaceAll(/\s+/g, ' ').slice(0, 400)}`)
