/** What is wrong between what the service says and what the engine has, in words. */
import type { Wire } from '@millhand/test-e2e/http'
import type { Container, Run } from './engine-record.ts'

/** docs/instances-operators.md promises no more: what has changed in an engine is seen so long after it at the latest. */
const SEEN_MS = 10_000
/** Between the engine's record of a run and what is metered of it. */
const METER_MS = 1_000

/** Replicas that are said to run, and have not for a while: `saidAt` is when it was asked, `backAt` when all parts were there. */
export function saidWrongly(
  instances: readonly Wire[],
  containers: readonly Container[],
  runs: ReadonlyMap<string, Run>,
  { saidAt, backAt }: { readonly saidAt: number; readonly backAt: number },
): string[] {
  const running = new Set(
    containers.filter(({ isRunning }) => isRunning).map(({ instance, index }) => `${instance} ${index}`),
  )
  return instances.flatMap(({ id, replicas }: Wire) =>
    replicas
      .filter(({ status, index }: Wire) => status === 'running' && !running.has(`${id} ${index}`))
      .flatMap(({ index, started_at }: Wire) => {
        const run = latestRun(runs, id, index)
        const endedAt = Math.max(run?.endedAt ?? run?.seenAt ?? 0, backAt)
        if (saidAt - endedAt <= SEEN_MS) return []
        return `replica ${index} of ${id} is said to run since ${started_at}, and ended ${saidAt - endedAt} ms before`
      }),
  )
}

function latestRun(runs: ReadonlyMap<string, Run>, instance: string, index: number): Run | undefined {
  let latest: Run | undefined
  for (const run of runs.values())
    if (run.instance === instance && run.index === index && (run.startedAt ?? 0) >= (latest?.startedAt ?? 0))
      latest = run
  return latest
}

/** What is not as it was asked for: in the words of the service, and in the engine. */
export function differences(
  asked: ReadonlyMap<string, number | 'end'>,
  instances: readonly Wire[],
  containers: readonly Container[],
): string[] {
  const found: string[] = []
  const wanted = new Map<string, number>()
  for (const [id, replicas] of asked) if (replicas !== 'end') wanted.set(id, replicas)
  const shown = new Map(instances.map((instance: Wire) => [instance.id, instance]))
  for (const [id, replicas] of asked) {
    const { status, reason, replicas: slots = [] } = shown.get(id) ?? {}
    const running = slots.filter((slot: Wire) => slot.status === 'running').length
    const [state, count] = replicas === 'end' ? ['terminated', 0] : ['running', replicas]
    if (status !== state || running !== count)
      found.push(
        `${id} is ${status} (${reason}) with ${running} running replicas, and should be ${state} with ${count}`,
      )
  }
  for (const { name, instance, index, isRunning } of containers)
    if (index >= (wanted.get(instance) ?? 0)) found.push(`the engine has ${name}, which nobody owns`)
    else if (!isRunning) found.push(`the engine has ${name}, which does not run`)
  const places = Map.groupBy(containers, ({ instance, index }) => `${instance} ${index}`)
  for (const [place, doubles] of places)
    if (doubles.length > 1) found.push(`the engine has ${doubles.map(({ name }) => name).join(' and ')} for ${place}`)
  for (const [id, replicas] of wanted)
    for (let index = 0; index < replicas; index++)
      if (!places.has(`${id} ${index}`)) found.push(`the engine has no replica ${index} of ${id}`)
  return found
}

/** Runs of which more or less was metered than the engine's record of them says. `began` is when the storm began. */
export function metersWrongly(
  runs: ReadonlyMap<string, Run>,
  metered: ReadonlyMap<string, number>,
  began: number,
): string[] {
  const found = [...metered.keys()].filter(name => !runs.has(name)).map(name => `${name} was metered and never ran`)
  for (const [name, run] of runs) {
    const { startedAt, endedAt, seenAt = startedAt, missedAt } = run
    if (startedAt === undefined) continue
    const sum = metered.get(name) ?? 0
    // The engine has forgotten the end of one that it lost when it was killed: it was between these two.
    const [least, most] = endedAt === undefined ? [seenAt, missedAt] : [endedAt, endedAt]
    // Nor does one know the start that was killed in the middle of it.
    const leastFrom = run.isStartKnown || endedAt === undefined ? startedAt : endedAt
    const ran = [Math.max(0, (least ?? 0) - leastFrom), Math.max(0, (most ?? 0) - startedAt)] as const
    if (sum >= ran[0] - METER_MS && sum <= ran[1] + METER_MS) continue
    const times = [startedAt, least, most].map(at => `${(((at ?? 0) - began) / 1_000).toFixed(1)} s`)
    found.push(`${name} ran ${ran.join(' to ')} ms (${times.join(', ')}), and ${sum} ms were metered`)
  }
  return found
}
