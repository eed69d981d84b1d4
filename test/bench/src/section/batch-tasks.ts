/** One task over a file of lines, beside a script that does the same. */
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository, type Server } from '@millhand/test-e2e/server'
import { startChild } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { LinesLoop } from '../limit/lines-loop.ts'
import { memoryDuring } from '../memory-during.ts'
import { descendants } from '../process-table.ts'
import type { Workbench } from '../workbench.ts'

const LINES = 50_000
const FEW_LINES = 500
const MANY_LINES = 500_000
const WARM_RUNS = 3
/** Contract of the part: so many times as long as the script at its best batch size. */
const MOST_TIMES = 1.25
/** More resident memory in all processes for a thousand times the lines: what is read ahead and not yet kept. */
const MOST_MORE_MIB = 64
const BATCHES = [32, 128, 512, 2_048]

export async function batchTasks(workbench: Workbench): Promise<Figure[]> {
  const folder = workbench.folder()
  const [file, small, large] = ['lines', 'few-lines', 'many-lines'].map(name => join(folder, `${name}.jsonl`)) as [
    string,
    string,
    string,
  ]
  writeLines(file, LINES)
  writeLines(small, FEW_LINES)
  writeLines(large, MANY_LINES)
  await using server = await workbench.server()
  const some = await upload(server, file)
  // As a server that has run for a while: its code and the model's are compiled.
  for (let warm = 0; warm < WARM_RUNS; warm++) await run(server, some)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < workbench.rounds; round++) {
    ours.push(await run(server, some))
    theirs.push(await best(file, join(folder, 'out.jsonl')))
  }
  const [few, many] = [await upload(server, small), await upload(server, large)]
  const pids = () => [server.pid, ...descendants(server.pid)]
  const little = await memoryDuring(pids, () => run(server, few))
  const lots = await memoryDuring(pids, () => run(server, many))
  return [
    {
      section: 'batch-tasks',
      name: `${LINES.toLocaleString('en')} digits in one task, from create to end`,
      unit: 'ms',
      rounds: ours,
      limits: [{ name: 'a script in Node at its best batch size', rounds: theirs, mostRatio: MOST_TIMES }],
      details: { lines_per_second: (LINES / Math.min(...ours)) * 1_000 },
    },
    {
      section: 'batch-tasks',
      name: `${MANY_LINES.toLocaleString('en')} lines: resident memory more than for ${FEW_LINES}`,
      unit: 'MiB',
      rounds: [(lots.moreBytes - little.moreBytes) / 2 ** 20],
      limits: [],
      aim: { most: MOST_MORE_MIB },
      details: { seconds: lots.ms / 1_000 },
    },
  ]
}

function writeLines(path: string, count: number): void {
  const digits: readonly { readonly pixels: readonly number[] }[] = JSON.parse(
    readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'),
  )
  const lines = digits.map(({ pixels }) => JSON.stringify(pixels))
  writeFileSync(path, Array.from({ length: count }, (_, at) => `${lines[at % lines.length]}\n`).join(''))
}

/** Milliseconds of the script, at the batch size that suits it best. */
async function best(input: string, output: string): Promise<number> {
  const times: number[] = []
  for (const batch of BATCHES) {
    await using child = startChild<LinesLoop, number>(new URL('../limit/lines-loop.ts', import.meta.url))
    times.push(await child.ask({ model: join(repository, 'deploy/models/digits/model.onnx'), input, output, batch }))
  }
  return Math.min(...times)
}

async function upload(server: Server, path: string): Promise<string> {
  const answer = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/jsonl',
      'content-length': String(statSync(path).size),
    },
    body: createReadStream(path) as never,
    duplex: 'half',
  } as RequestInit)
  const body = (await answer.json()) as { id: string }
  if (answer.status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** Milliseconds from the create of a task over the file to its end. */
async function run(server: Server, input_file: string): Promise<number> {
  const start = performance.now()
  const json = { type: 'batch', model: 'digits', input_file, run_timeout_s: 3_600 }
  let { body } = await server.request('POST', '/v1/tasks', { json, headers: { prefer: 'wait=60' } })
  while (!['succeeded', 'failed'].includes(body.status))
    ({ body } = await server.request('GET', `/v1/tasks/${body.id}`, { headers: { prefer: 'wait=60' } }))
  const ms = performance.now() - start
  if (body.status !== 'succeeded') throw new Error(JSON.stringify(body.error))
  return ms
}
