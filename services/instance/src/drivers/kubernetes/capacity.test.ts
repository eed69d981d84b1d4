import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { V1Node, V1Pod } from '@kubernetes/client-node'
import { capacityOf, gpuValues, type RoomOptions } from './capacity.ts'

const node = (more: Partial<Record<'cpu' | 'memory' | 'pods' | 'gpus', string>> = {}, rest: Partial<V1Node> = {}) => {
  const { cpu = '4', memory = '8Gi', pods = '110', gpus = '0' } = more
  const allocatable = { cpu, memory, pods, 'ephemeral-storage': '100Gi', 'nvidia.com/gpu': gpus }
  return { ...rest, status: { allocatable, conditions: [{ type: 'Ready', status: 'True' }] } } satisfies V1Node
}
const pod = (cpu: string, nodeName: string | undefined, more: { gpu?: string; isOurs?: boolean } = {}): V1Pod => {
  const { gpu, isOurs = true } = more
  const requests = { cpu, memory: '1Gi', ...(gpu && { 'nvidia.com/gpu': gpu }) }
  return {
    metadata: { labels: isOurs ? { ours: '1' } : {} },
    spec: { ...(nodeName && { nodeName }), containers: [{ name: 'x', resources: { requests } }] },
  }
}
const size = { cpus: 1, memoryBytes: 2 ** 30, pids: 1 }
const options: RoomOptions = {
  sizes: { cpu: size, 'nvidia-h100-80gb': size },
  ...{ nodeSelector: {}, gpuLabel: 'gpu', isOurs: ({ metadata }) => metadata?.labels?.ours === '1' },
}
const counted = (nodes: Record<string, V1Node>, pods: V1Pod[] = [], more: Partial<RoomOptions> = {}) =>
  capacityOf(new Map(Object.entries(nodes)), pods, { ...options, ...more }).map(({ total, free }) => [total, free])

describe('places in a cluster', () => {
  it('are what the nodes can give, whichever ends first', () => {
    assert.deepEqual(counted({ a: node() }), [
      [4, 4],
      [0, 0],
    ])
    assert.deepEqual(
      counted({ a: node({ cpu: '3500m' }), b: node({ memory: '2Gi' }), c: node({ pods: '1' }) })[0],
      [6, 6],
    )
  })

  it('are taken by the pods of others from the start, and by ours now', () => {
    const pods = [pod('1500m', 'a', { isOurs: false }), pod('1', 'a'), pod('1', undefined)]
    assert.deepEqual(counted({ a: node() }, pods)[0], [2, 0])
  })

  it('are not taken by pods that have ended', () => {
    assert.deepEqual(counted({ a: node() }, [{ ...pod('1', 'a'), status: { phase: 'Succeeded' } }])[0], [4, 4])
  })

  it('are on nodes that take replicas', () => {
    const tainted = { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }
    const lost = { ...node(), status: { ...node().status, conditions: [{ type: 'Ready', status: 'Unknown' }] } }
    assert.deepEqual(
      counted({ a: node({}, { spec: { unschedulable: true } }), b: node({}, tainted), c: lost })[0],
      [0, 0],
    )
    const pool = { metadata: { labels: { pool: 'a' } } }
    assert.deepEqual(counted({ a: node({}, pool), b: node() }, [], { nodeSelector: { pool: 'a' } })[0], [4, 4])
  })

  it('have a GPU of the type', () => {
    const labels = { metadata: { labels: { gpu: 'NVIDIA-H100-80GB' } } }
    const taints = { spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] } }
    const nodes = { a: node({ gpus: '2' }, { ...labels, ...taints }), b: node({ gpus: '2' }) }
    assert.deepEqual(counted(nodes, [pod('1', 'a', { gpu: '1' })]), [
      [4, 4],
      [2, 1],
    ])
    assert.deepEqual(gpuValues(new Map(Object.entries(nodes)), 'gpu', 'nvidia-h100-80gb'), ['NVIDIA-H100-80GB'])
  })
})
