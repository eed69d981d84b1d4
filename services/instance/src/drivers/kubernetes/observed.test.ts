import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { V1ContainerState, V1Node, V1Pod, V1PodStatus } from '@kubernetes/client-node'
import { observed, startFault } from './observed.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}Z` as unknown as Date
const ms = (second: number) => Date.parse(String(at(second)))
const node = (status: string): V1Node => ({ status: { conditions: [{ type: 'Ready', status }] } })
const nodes = new Map([
  ['ready', node('True')],
  ['lost', node('Unknown')],
])

function pod(state: V1ContainerState | undefined, more: PodOptions = {}): V1Pod {
  const { nodeName = 'ready', isDeleted = false, status = {} } = more
  return {
    metadata: { name: 'r', creationTimestamp: at(0), ...(isDeleted && { deletionTimestamp: at(5) }) },
    spec: { containers: [], ...(nodeName !== '' && { nodeName }) },
    status: {
      phase: 'Running',
      ...(state && { containerStatuses: [{ state } as NonNullable<V1PodStatus['containerStatuses']>[number]] }),
      ...status,
    },
  }
}

interface PodOptions {
  readonly nodeName?: string
  readonly isDeleted?: boolean
  readonly status?: V1PodStatus
}

const running = { running: { startedAt: at(1) } }
const terminated = (reason: string, exitCode = 1) => ({
  terminated: { exitCode, reason, startedAt: at(1), finishedAt: at(3) },
})
const waiting = (reason: string, message = '') => ({ waiting: { reason, message } })

describe('what a pod says of its replica', () => {
  const cases: readonly [string, V1Pod, object][] = [
    ['waits for its secrets', pod(undefined, { nodeName: '', status: { phase: 'Pending' } }), { state: 'creating' }],
    ['is being made', pod(waiting('ContainerCreating')), { state: 'creating' }],
    ['runs', pod(running), { state: 'running', startedAt: ms(1) }],
    ['runs in its grace time', pod(running, { isDeleted: true }), { state: 'running', startedAt: ms(1) }],
    ['runs on a lost node', pod(running, { nodeName: 'lost' }), { state: 'unknown', startedAt: ms(1) }],
    ['waits on a lost node', pod(waiting('ContainerCreating'), { nodeName: 'lost' }), { state: 'unknown' }],
    [
      'ran on a node that is gone',
      pod(running, { nodeName: 'gone' }),
      { state: 'exited', startedAt: ms(1), endedAt: ms(1), reason: 'replica_lost' },
    ],
    [
      'ran on a node that was lost before it was gone',
      pod(running, {
        nodeName: 'gone',
        status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(4) }] },
      }),
      { state: 'exited', startedAt: ms(1), endedAt: ms(4), reason: 'replica_lost' },
    ],
    ['has ended', pod(terminated('Error')), { state: 'exited', exitCode: 1, startedAt: ms(1), endedAt: ms(3) }],
    [
      'has used its memory',
      pod(terminated('OOMKilled', 137)),
      { state: 'exited', exitCode: 137, reason: 'out_of_memory', startedAt: ms(1), endedAt: ms(3) },
    ],
    [
      'was deleted',
      pod(terminated('Completed', 0), { isDeleted: true }),
      { state: 'exited', exitCode: 0, reason: 'replica_lost', startedAt: ms(1), endedAt: ms(3) },
    ],
    [
      'was evicted',
      pod(terminated('Error', 137), { status: { phase: 'Failed', reason: 'Evicted' } }),
      { state: 'exited', exitCode: 137, reason: 'replica_lost', startedAt: ms(1), endedAt: ms(3) },
    ],
    [
      'was evicted before it started',
      pod(undefined, { status: { phase: 'Failed', reason: 'Evicted' } }),
      { state: 'exited', endedAt: ms(0), reason: 'replica_lost' },
    ],
    [
      'was deleted before it had a node',
      pod(undefined, { nodeName: '', isDeleted: true }),
      { state: 'exited', endedAt: ms(0), reason: 'replica_lost' },
    ],
  ]
  for (const [name, from, expected] of cases)
    it(`that ${name}`, () => {
      const { state, startedAt, endedAt, exitCode, reason } = observed('cluster', from, nodes)
      const found = { state, startedAt, endedAt, exitCode, reason }
      assert.deepEqual(JSON.parse(JSON.stringify(found)), expected)
    })
})

describe('why a pod does not start', () => {
  const unschedulable = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }
  const gated = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }
  const pull = (message: string) => pod(waiting('ErrImagePull', message))
  const cases: readonly [string, V1Pod, string | undefined][] = [
    ['is being made', pod(waiting('ContainerCreating')), undefined],
    ['waits for its secrets', pod(undefined, { status: gated }), undefined],
    ['has no place', pod(undefined, { status: unschedulable }), 'no_capacity'],
    ['was refused by its node', pod(undefined, { status: { phase: 'Failed', reason: 'OutOfcpu' } }), 'no_capacity'],
    ['has no image', pull('failed to resolve reference "docker.io/x:1": docker.io/x:1: not found'), 'image_not_found'],
    ['has an image for other machines', pull('no match for platform in manifest'), 'image_not_found'],
    [
      'may not pull',
      pull('pull access denied, repository does not exist or may require authorization'),
      'image_denied',
    ],
    ['has a wrong credential', pull('failed to authorize: 401 Unauthorized'), 'image_denied'],
    ['has no registry', pull('dial tcp: lookup registry: no such host'), 'registry_unavailable'],
    ['has no disk for it', pull('write /var/lib/x: no space left on device'), 'no_capacity'],
    ['backs off', pod(waiting('ImagePullBackOff', 'Back-off pulling image "x": not found')), 'image_not_found'],
    ['backs off, it does not say why', pod(waiting('ImagePullBackOff', 'Back-off pulling image "x"')), undefined],
    ['has a name that is none', pod(waiting('InvalidImageName')), 'image_not_found'],
    ['has no image on the node', pod(waiting('ErrImageNeverPull')), 'image_not_found'],
    ['has no command', pod(waiting('RunContainerError', 'exec: "x": executable file not found')), 'command_not_found'],
    ['has no command, it ended', pod(terminated('StartError', 128)), 'command_not_found'],
    ['can not be made', pod(waiting('CreateContainerError', 'context deadline exceeded')), 'engine_error'],
    ['ended at once', pod(terminated('Error')), undefined],
  ]
  for (const [name, from, reason] of cases)
    it(`that ${name}`, () => {
      assert.equal(startFault(from)?.reason, reason)
    })
})
