/** Does a fault to a running system, and undoes it. */
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ownerAddress } from './evidence.ts'
import type { Fault, Target } from './schedule.ts'
import { computes, type MemberName, type System, webhooks } from './system.ts'
import type { Link } from './tcp-proxy.ts'

/** What can be killed, paused and started again: a process of ours, or a server. */
interface Victim {
  readonly name: string
  readonly pid: number
  start(): Promise<void>
  kill(): Promise<void>
  pause(): void
  resume(): void
}

export interface Injected {
  /** Which process or link it was. */
  readonly place: string
  /** By `performance.now()`. */
  readonly began: number
  readonly over: number
}

/**
 * Does faults; each resolves when it is over: what was killed serves, what was paused runs, what was broken is whole.
 * A second fault of the same process or link waits for the first.
 */
export function createInjector(system: System): (fault: Fault) => Promise<Injected> {
  const busy = new Map<string, Promise<unknown>>()
  return async fault => {
    const place = 'link' in fault ? await linkOf(system, fault.link) : await nameOf(system, fault.target)
    while (busy.has(place)) await busy.get(place)
    const doing = injectAt(system, fault, place)
    const over = doing.then(
      () => busy.delete(place),
      () => busy.delete(place),
    )
    busy.set(place, over)
    return await doing
  }
}

async function injectAt(system: System, fault: Fault, place: string): Promise<Injected> {
  const began = performance.now()
  await doFault(system, fault, place)
  return { place, began, over: performance.now() }
}

async function doFault(system: System, fault: Fault, place: string): Promise<void> {
  switch (fault.kind) {
    case 'kill': {
      const victim = victimOf(system, place)
      await victim.kill()
      await sleep(fault.ms)
      return await victim.start()
    }
    case 'pause': {
      const victim = victimOf(system, place)
      victim.pause()
      await sleep(fault.ms)
      return victim.resume()
    }
    case 'isolate': {
      const links = computes.map(compute => system.links.get(`${place}>${compute}`) as Link)
      for (const link of links) link.hold()
      await sleep(fault.ms)
      for (const link of links) link.heal()
      return
    }
    case 'cut':
    case 'hold':
    case 'delay': {
      const link = system.links.get(place) as Link
      if (fault.kind === 'delay') link.delay(fault.byMs)
      else link[fault.kind]()
      await sleep(fault.ms)
      return link.heal()
    }
    case 'clock': {
      const member = system.members.get(place as MemberName)
      member?.setClock(fault.aheadMs)
      await sleep(fault.ms)
      return member?.setClock(0)
    }
    case 'full disk': {
      const victim = victimOf(system, place)
      await limitFiles(victim.pid, place === 'mongo' ? largestFile(system.mongoDir) : 4_096)
      await sleep(fault.ms)
      await victim.kill()
      return await victim.start()
    }
    default:
      fault satisfies never
  }
}

function victimOf(system: System, place: string): Victim {
  if (place === 'kafka') return Object.assign(Object.create(system.kafka), { name: place })
  if (place === 'mongo') return Object.assign(Object.create(system.mongo), { name: place })
  return system.members.get(place as MemberName) as Victim
}

/** The link that is meant where it begins at a part: `webhook owner>mongo`. */
async function linkOf(system: System, link: string): Promise<string> {
  const [from, to] = link.split('>') as [Target, string]
  return `${await nameOf(system, from)}>${to}`
}

async function nameOf(system: System, target: Target): Promise<string> {
  const part = parts[target]
  if (!part) return target
  const address = await ownerAddress(system.database, part.service)
  const owner = (address !== undefined && system.memberAt(address)) || (part.replicas[0] as string)
  return part.isOwner ? owner : (part.replicas.find(name => name !== owner) as string)
}

/** Those of a service that has one owner. */
const parts: Readonly<
  Record<string, { readonly service: string; readonly replicas: readonly MemberName[]; readonly isOwner: boolean }>
> = {
  owner: { service: 'compute', replicas: computes, isOwner: true },
  'other compute': { service: 'compute', replicas: computes, isOwner: false },
  'webhook owner': { service: 'webhook', replicas: webhooks, isOwner: true },
  'other webhook': { service: 'webhook', replicas: webhooks, isOwner: false },
}

/**
 * A disk without room, for one process and for anybody, without a disk: files can't grow beyond so many bytes
 * (setrlimit(2), RLIMIT_FSIZE; the JVM ignores the signal, so that the write fails with EFBIG).
 */
async function limitFiles(pid: number, bytes: number): Promise<void> {
  await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`])
}

function largestFile(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map(name => statSync(join(folder, name)).size))
}
