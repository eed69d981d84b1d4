/** What is left of employees' work once all is over: in the store, in the day's quota, in files and in usage. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Wire } from '@millhand/test-e2e/http'
import { finalOf, readBodies, readTasks } from '../evidence.ts'
import type { Final } from '../history-checks.ts'

/** A task of an employee as the store has it. */
export interface Work extends Final {
  readonly kind: string
  /** The files that it names. */
  readonly files: readonly string[]
}

type Ask = (method: string, path: string) => Promise<Answer>

export const readWork = (database: string): Promise<{ finals: Work[]; leftovers: string[] }> =>
  readTasks(database, 'workforce_tasks', body => {
    const { employee, task, artifacts = [], output_file } = JSON.parse(body)
    const files = output_file === undefined ? artifacts : [...artifacts, output_file]
    const final = finalOf(body, ({ result }) => result.summary?.texts)
    return { ...final, kind: `${employee} ${task}`, files }
  })

/** Each task has one place of the day that it was made in. Places without one are of creates that were not answered. */
export async function placeFaults(database: string, work: readonly Work[], unanswered: number): Promise<string[]> {
  const days = (await readBodies(database, 'daily_quotas')).map(body => JSON.parse(body))
  const places: readonly string[] = days.flatMap(({ places }) => places.map(({ id }: Wire) => id))
  const [taken, made] = [new Set(places), new Set(work.map(({ id }) => id))]
  const lost = [...taken].filter(id => !made.has(id)).length
  return [
    ...(taken.size < places.length ? [`${places.length - taken.size} places of the day were taken twice`] : []),
    ...[...made].filter(id => !taken.has(id)).map(id => `${id}: has no place of the day`),
    ...(lost > unanswered ? [`${lost} places are of no task, and ${unanswered} calls were not answered`] : []),
  ]
}

/** An hour, as long as a file stays that no result names, and some more. */
const UNNAMED_MS = 4_000_000

/**
 * Files that stay are those that tasks name, each of one task. Those of a result that was lost between its files and its
 * task are removed a while after that: what is wrong `limitMs` later. Others go by themselves within the hour.
 */
export async function fileFaults(ask: Ask, work: readonly Work[], limitMs: number): Promise<string[]> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const faults = await fileFaultsNow(ask, work)
    if (faults.length === 0 || performance.now() > deadline) return faults
    await pause(1_000)
  }
}

async function fileFaultsNow(ask: Ask, work: readonly Work[]): Promise<string[]> {
  const named = work.flatMap(({ files }) => files)
  const there = await outputFiles(ask)
  const staying = new Set(
    there.filter(({ expires_at }) => !(Date.parse(expires_at) < Date.now() + UNNAMED_MS)).map(({ id }) => id),
  )
  return [
    ...(new Set(named).size < named.length ? ['a file is named by two tasks'] : []),
    ...named.filter(id => !staying.has(id)).map(id => `${id}: is named by a task and does not stay`),
    ...[...staying].filter(id => !named.includes(id)).map(id => `${id}: stays and is named by no task`),
  ]
}

async function outputFiles(ask: Ask): Promise<Wire[]> {
  const found: Wire[] = []
  for (let cursor = ''; ; ) {
    const { status, body, text } = await ask('GET', `/v1/files?purpose=output&limit=100${cursor}`)
    if (status !== 200) throw new Error(`files: ${status} ${text}`)
    found.push(...body.data)
    if (!body.has_more) return found
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Waits until every task is counted, once, by its kind and its end; after `limitMs` it says what is counted instead. */
export async function workUsageFaults(ask: Ask, work: readonly Work[], limitMs: number): Promise<string[]> {
  const wanted = counted(work.map(({ kind, status }) => [`${kind} ${status}`, 1]))
  const deadline = performance.now() + limitMs
  for (;;) {
    const { status, body } = await ask('GET', '/v1/workforce/usage')
    const told = status === 200 ? counted(body.data.flatMap(endsOf)) : `answer ${status}`
    if (told === wanted) return []
    if (performance.now() > deadline) return [`usage counts ${told} where the store has ${wanted}`]
    await pause(300)
  }
}

const endsOf = ({ employee, task, tasks }: Wire): [string, number][] =>
  Object.entries<number>(tasks).map(([end, count]) => [`${employee} ${task} ${end}`, count])

function counted(pairs: readonly (readonly [name: string, count: number])[]): string {
  const sums = new Map<string, number>()
  for (const [name, count] of pairs) if (count > 0) sums.set(name, (sums.get(name) ?? 0) + count)
  return JSON.stringify([...sums].toSorted())
}
