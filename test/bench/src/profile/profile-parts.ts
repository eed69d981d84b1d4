/** Of a profile of a processor's time: which part of the code it was spent in. */
import { repository } from '@millhand/test-e2e/server'

/** As `Profiler.stop` of the inspector gives it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** The node of each sample. */
  readonly samples?: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface ProfileShares {
  /** All but idle time, in microseconds. */
  readonly busyUs: number
  /** By part, then by function: own time in microseconds, most first. */
  readonly parts: ReadonlyMap<string, number>
  readonly functions: ReadonlyMap<string, number>
}

const IDLE = 'idle'

export function profileShares({ nodes, samples = [], timeDeltas = [] }: CpuProfile): ProfileShares {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node] as const)))
  const placeOf = new Map(nodes.map(node => [node.id, place(node, parents)]))
  const parts = new Map<string, number>()
  const functions = new Map<string, number>()
  let busyUs = 0
  for (const [at, id] of samples.entries()) {
    const { part, name } = (byId.has(id) && placeOf.get(id)) || { part: IDLE, name: '' }
    if (part === IDLE) continue
    // The time until the next sample was spent where this one was taken.
    const us = Math.max(0, timeDeltas[at + 1] ?? 0)
    busyUs += us
    parts.set(part, (parts.get(part) ?? 0) + us)
    functions.set(name, (functions.get(name) ?? 0) + us)
  }
  return { busyUs, parts: mostFirst(parts), functions: mostFirst(functions) }
}

const mostFirst = (times: Map<string, number>) => new Map([...times].sort(([, a], [, b]) => b - a))

/** What has no file is V8's own, or native code that the nearest function with a file has called. */
function place(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): { part: string; name: string } {
  const { functionName, url, lineNumber } = node.callFrame
  switch (functionName) {
    case '(idle)':
      return { part: IDLE, name: '' }
    case '(garbage collector)':
      return { part: 'garbage collector', name: 'garbage collector' }
    case '(program)':
    case '(root)':
      return { part: 'native, called by no function', name: 'native, called by no function' }
  }
  if (url !== '')
    return { part: partOf(url), name: `${functionName || '(anonymous)'} ${fileOf(url)}:${lineNumber + 1}` }
  let caller = parents.get(node.id)
  while (caller !== undefined && caller.callFrame.url === '') caller = parents.get(caller.id)
  if (caller === undefined) return { part: 'native, called by no function', name: functionName }
  const part = partOf(caller.callFrame.url)
  return {
    part: `native, called by ${part}`,
    name: `${functionName} (native), called in ${fileOf(caller.callFrame.url)}`,
  }
}

/** `libs/store`, `gateway`, `node_modules/kafkajs`, `node`. */
export function partOf(url: string): string {
  if (url.startsWith('node:')) return 'node'
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (name !== undefined) return `node_modules/${name}`
  const [top = '', below = ''] = fileOf(url).split('/')
  return ['libs', 'services', 'test'].includes(top) ? `${top}/${below}` : top
}

const fileOf = (url: string): string => url.replace(/^file:\/\//, '').replace(`${repository}/`, '')
