/** A piece of output on its way through several processes: executor, owner of the queues, gateway, reader. */
import { repository } from '@millhand/test-e2e/server'
import { startSystem } from '@millhand/test-faults/system'
import type { Figure } from '../figure.ts'
import { emitAndRead, type StreamLatency } from '../stream-latency.ts'
import type { Workbench } from '../workbench.ts'

const PER_SECOND = 100

/** "Must hold". */
const LATENCY_MS = 60

export async function distributedStreams({ folder, seconds, rounds }: Workbench): Promise<Figure[]> {
  const executorEntry = 'test/bench/src/emitting-executor.ts'
  await using system = await startSystem({ root: repository, folder: folder(), executorEntry })
  // By turns through both gateways: one of them passes calls on to the owner by the other replica.
  const emit = (round: number, time: number) =>
    emitAndRead({
      url: system.urls()[round % 2] as string,
      key: system.key,
      chunks: PER_SECOND * time,
      intervalMs: 1_000 / PER_SECOND,
    })
  await emit(0, 1)
  await emit(1, 1)
  const measured: StreamLatency[] = []
  for (let round = 0; round < rounds; round++) measured.push(await emit(round, seconds))
  const figure = (name: string, value: (one: StreamLatency) => number, most?: number): Figure => ({
    section: 'streams',
    name: `from the runner's piece to the reader, ${PER_SECOND} pieces/s, ${name}`,
    unit: 'ms',
    rounds: measured.map(value),
    ...(most !== undefined && { aim: { most } }),
    limits: [],
    details: {},
  })
  return [figure('p50', one => one.p50), figure('p99', one => one.p99, LATENCY_MS)]
}
