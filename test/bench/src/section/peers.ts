/** What others reach on this machine, by their scripts, and this project with the same workloads, round by round. */
import { type Figure, type Limit, median } from '../figure.ts'
import { type InferenceRound, inferenceRates } from '../peers/inference-rate.ts'
import { noopRate } from '../peers/noop-rate.ts'
import { inferencePeers, type LifecyclePeer, lifecyclePeers, peersFolder } from '../peers/peers-folder.ts'
import { runPeer } from '../peers/run-peer.ts'
import type { Workbench } from '../workbench.ts'

const connectionCounts = [1, 32, 128]

/** The least share of a peer's rate that is wanted. */
const leastOfNoop: Readonly<Record<string, number>> = { bullmq: 0.7 }
const leastAt128: Readonly<Record<string, number>> = { 'node-onnx': 0.25, fastapi: 3 }
const mostP50AtOne = 1.2

/** `names` are those of `peersFolder`; they are measured before this project, which uses the model that they make. */
export async function* peers(workbench: Workbench, names: readonly string[]): AsyncIterable<Figure> {
  const folder = peersFolder(names)
  const queues = Object.keys(lifecyclePeers).filter(name => names.includes(name)) as LifecyclePeer[]
  if (queues.length > 0) yield await noop(workbench, folder, queues)
  const servers = inferencePeers.filter(name => names.includes(name))
  if (servers.length > 0) yield* await inference(workbench, folder, servers)
}

async function noop(workbench: Workbench, folder: string, queues: readonly LifecyclePeer[]): Promise<Figure> {
  const { seconds, rounds } = workbench
  const us: Awaited<ReturnType<typeof noopRate>>[] = []
  const theirs = queues.map(name => ({ name, rounds: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { name, rounds: rates } of theirs) {
      const [line] = await runPeer({ folder, name, words: lifecyclePeers[name], seconds })
      rates.push(line?.rps ?? Number.NaN)
    }
    us.push(await noopRate(workbench))
  }
  return {
    section: 'peers',
    name: 'no-op create to succeeded, 64 connections',
    unit: '/s',
    rounds: us.map(({ perSecond }) => perSecond),
    limits: theirs.map(({ name, rounds }) => limit(name, rounds, leastOfNoop[name])),
    details: { creates_per_s: median(us.map(({ createsPerSecond }) => createsPerSecond)) },
  }
}

async function inference(workbench: Workbench, folder: string, servers: readonly string[]): Promise<Figure[]> {
  const { seconds, rounds } = workbench
  const us: InferenceRound[][] = []
  const theirs = servers.map(name => ({ name, rounds: [] as InferenceRound[][] }))
  for (let round = 0; round < rounds; round++) {
    for (const { name, rounds: results } of theirs)
      results.push(await runPeer({ folder, name, words: connectionCounts.map(String), seconds }))
    us.push(await inferenceRates(workbench, connectionCounts))
  }
  return connectionCounts.flatMap((connections, at) => {
    const of = (results: readonly InferenceRound[][], field: keyof InferenceRound) =>
      results.map(result => result[at]?.[field] ?? Number.NaN)
    const figure = (
      name: string,
      unit: string,
      field: keyof InferenceRound,
      least: Readonly<Record<string, number>>,
    ): Figure => ({
      section: 'peers',
      name: `create to answer, MLP, ${connections} connections${name}`,
      unit,
      rounds: of(us, field),
      limits: theirs.map(peer => limit(peer.name, of(peer.rounds, field), least[peer.name])),
      details: {},
    })
    const rate = figure('', '/s', 'rps', connections === 128 ? leastAt128 : {})
    const p50 = figure(', p50', 'ms', 'p50_ms', {})
    return [rate, connections === 1 ? { ...p50, aim: { most: mostP50AtOne } } : p50]
  })
}

const limit = (name: string, rounds: readonly number[], leastRatio: number | undefined): Limit => ({
  name: [name, ...(lifecyclePeers[name as LifecyclePeer] ?? [])].join(' '),
  rounds,
  ...(leastRatio !== undefined && { leastRatio }),
})
