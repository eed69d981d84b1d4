/** Durable creates a second, nothing being run: beside node:http alone and SQLite alone. */
import { alternate } from '../alternate.ts'
import { digitsTasks } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { rawHttp, sqliteInserts } from '../limit/limits.ts'
import { plansWith } from '../plans-file.ts'
import { acceptOnly, targetOf, type Workbench } from '../workbench.ts'

const connections = 64
/** All rounds are accepted by one server that runs nothing: more than a plan lets wait. It is the largest that a plan may have. */
const MOST_QUEUED = 1_000_000_000

export async function accept(workbench: Workbench): Promise<Figure[]> {
  const { seconds, rounds } = workbench
  const env = { ...acceptOnly, ...plansWith('max_queued', MOST_QUEUED, workbench.folder()) }
  await using server = await workbench.server({ env })
  const requests = await digitsTasks(server)
  const sample = await workbench.measure(targetOf(server), {
    connections: 1,
    requests,
    expect: { status: 201 },
    until: { requests: 1 },
  })
  await using raw = await rawHttp({ answerBytes: sample.bodyBytes })
  await using sqlite = sqliteInserts()
  const folder = workbench.folder()
  const plan = { connections, requests, expect: { status: 201 }, until: { seconds } }

  const { us, http, database } = await alternate(rounds, {
    us: () => workbench.measure(targetOf(server), plan),
    http: () => workbench.measure(raw, plan),
    // A stored task is about as large as the answer, and its event as the stored task.
    database: () => sqlite.ask({ folder, seconds, documentBytes: sample.bodyBytes, eventBytes: sample.bodyBytes }),
  })
  return [
    {
      section: 'accept',
      name: `durable creates, ${connections} connections`,
      unit: '/s',
      rounds: us.map(round => round.perSecond),
      limits: [
        { name: 'node:http raw', rounds: http.map(round => round.perSecond), leastRatio: 0.4 },
        { name: 'SQLite alone, 64 a commit', rounds: database },
      ],
      details: {
        p50_ms: median(us.map(round => round.latency.p50)),
        p99_ms: median(us.map(round => round.latency.p99)),
        server_cpu_us: median(us.map(round => round.cpu)),
        raw_cpu_us: median(http.map(round => round.cpu)),
      },
    },
  ]
}
