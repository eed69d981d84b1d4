/** The peers' model served by this project: `POST /v1/tasks` with `Prefer: wait`, durable. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from '../workbench.ts'
import { peersWork } from './peers-folder.ts'
import { wrk } from './wrk.ts'

const WAIT_S = 30
const WARM_UP_S = 2

export interface InferenceRound {
  readonly rps: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** One measurement for each number of connections. A peer's script has made the model before. */
export async function inferenceRates(
  workbench: Workbench,
  connectionCounts: readonly number[],
): Promise<InferenceRound[]> {
  const folder = workbench.folder()
  await using server = await workbench.server({ env: { MILLHAND_MODELS_DIR: modelFolder(folder) } })
  const input = JSON.stringify(JSON.parse(readFileSync(join(peersWork(), 'body.json'), 'utf8')).data)
  const task = { type: 'inference', model: 'mlp', input }
  const { body: answer } = await server.request('POST', '/v1/tasks', {
    json: task,
    headers: { prefer: `wait=${WAIT_S}` },
  })
  assertRight(answer.output)
  const load = { url: `${server.url}/v1/tasks`, key: server.key, body: JSON.stringify(task), wait: WAIT_S, folder }
  await wrk({ ...load, connections: 32, seconds: WARM_UP_S })
  const rounds: InferenceRound[] = []
  for (const connections of connectionCounts)
    rounds.push(await wrk({ ...load, connections, seconds: workbench.seconds }))
  return rounds
}

function modelFolder(folder: string): string {
  const models = join(folder, 'models')
  mkdirSync(join(models, 'mlp'), { recursive: true })
  copyFileSync(join(peersWork(), 'mlp.onnx'), join(models, 'mlp/model.onnx'))
  const model = { name: 'mlp', batchable: true, max_batch: 64, preprocess: { name: 'numbers', count: 128 } }
  writeFileSync(join(models, 'mlp/model.json'), JSON.stringify(model))
  return models
}

/** The peers' answers are held to the same numbers. */
function assertRight(output: unknown): void {
  const expected: number[] = JSON.parse(readFileSync(join(peersWork(), 'expected.json'), 'utf8'))
  const numbers = numbersOf(typeof output === 'string' ? JSON.parse(output) : output)
  const isNear = (value: number, at: number) =>
    Math.abs((numbers[at] ?? Number.NaN) - value) < 1e-3 * Math.max(1, Math.abs(value))
  if (numbers.length !== expected.length || !expected.every(isNear))
    throw new Error(`The model answers ${JSON.stringify(output)} in the place of ${JSON.stringify(expected)}.`)
}

function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return Number.isInteger(value) ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}
