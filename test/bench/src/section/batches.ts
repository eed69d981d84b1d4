/** A batch of many tasks from its create to its end, beside single tasks without what HTTP takes of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { repository, type Server } from '@millhand/test-e2e/server'
import { digitsTasks, succeeded } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { rawHttp } from '../limit/limits.ts'
import { targetOf, type Workbench } from '../workbench.ts'

const LINES = 50_000
const CONNECTIONS = 64
/** Contract of the part: so much of the speed of single tasks without their HTTP. */
const LEAST_SHARE = 0.5

export async function batches(workbench: Workbench): Promise<Figure[]> {
  const { rounds, seconds } = workbench
  await using server = await workbench.server()
  const requests = await digitsTasks(server, 30)
  const plan = { connections: CONNECTIONS, requests, expect: succeeded, until: { seconds } }
  const { bodyBytes } = await workbench.measure(targetOf(server), { ...plan, connections: 1, until: { requests: 1 } })
  await using raw = await rawHttp({ answerBytes: bodyBytes })
  const file = await upload(server)
  const measured: { readonly perSecond: number; readonly acceptedMs: number }[] = []
  const [single, http, without]: [number[], number[], number[]] = [[], [], []]
  await workbench.measure(targetOf(server), plan)
  for (let round = 0; round < rounds; round++) {
    measured.push(await run(server, file))
    const tasks = (await workbench.measure(targetOf(server), plan)).perSecond
    const answers = (await workbench.measure(raw, { ...plan, expect: { status: 201 } })).perSecond
    single.push(tasks)
    http.push(answers)
    // The time of one task less the time of one answer.
    without.push(1 / (1 / tasks - 1 / answers))
  }
  return [
    {
      section: 'batches',
      name: `${LINES.toLocaleString('en')} digits in one batch, from create to end`,
      unit: '/s',
      rounds: measured.map(({ perSecond }) => perSecond),
      limits: [{ name: 'single tasks without their HTTP', rounds: without, leastRatio: LEAST_SHARE }],
      details: {
        accepted_ms: median(measured.map(({ acceptedMs }) => acceptedMs)),
        single_per_second: median(single),
        raw_http_per_second: median(http),
      },
    },
  ]
}

/** A file of lines for the `digits` model; its id. */
async function upload(server: Server): Promise<string> {
  const digits: readonly { readonly pixels: readonly number[] }[] = JSON.parse(
    readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'),
  )
  const lines = Array.from({ length: LINES }, (_, n) => {
    const input = JSON.stringify(digits[n % digits.length]?.pixels)
    return JSON.stringify({ custom_id: `n${n}`, type: 'inference', model: 'digits', input })
  })
  const headers = { 'content-type': 'application/jsonl' }
  const { status, body, text } = await server.request('POST', '/v1/files', {
    raw: Buffer.from(lines.join('\n')),
    headers,
  })
  if (status !== 201) throw new Error(text)
  return body.id
}

async function run(server: Server, input_file: string) {
  const start = performance.now()
  let { status, body, text } = await server.request('POST', '/v1/batches', { json: { input_file } })
  if (status !== 201) throw new Error(text)
  const acceptedMs = performance.now() - start
  while (body.finished_at === undefined) {
    await pause(50)
    ;({ status, body, text } = await server.request('GET', `/v1/batches/${body.id}`))
    if (status !== 200) throw new Error(text)
  }
  if (body.counts.succeeded !== LINES) throw new Error(text)
  return { perSecond: LINES / ((performance.now() - start) / 1_000), acceptedMs }
}
