/** What each process says of itself once everything is whole: a replica that stays unready would be found by nobody. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import type { Member } from './process-member.ts'

const CALL_LIMIT_MS = 2_000

/** Resolves when all of them can serve, else after `limitMs`, with those that can't in words. */
export async function notServing(members: Iterable<Member>, limitMs: number): Promise<string[]> {
  const found = await Promise.all(Array.from(members, member => untilItServes(member, limitMs)))
  return found.flatMap(name => (name === undefined ? [] : [`${name} can not serve ${limitMs} ms after all was whole`]))
}

/** Its name when it can't. */
async function untilItServes(member: Member, limitMs: number): Promise<string | undefined> {
  const deadline = performance.now() + limitMs
  while (!(await serves(member).catch(() => false))) {
    if (performance.now() > deadline) return member.name
    await pause(200)
  }
  return undefined
}

async function serves({ ready: { http, grpc } }: Member): Promise<boolean> {
  if (http !== undefined) return (await fetch(`${http}/readyz`, { signal: AbortSignal.timeout(CALL_LIMIT_MS) })).ok
  const health = createClient(Health, createGrpcTransport({ baseUrl: grpc as string }))
  return (await health.check({}, { timeoutMs: CALL_LIMIT_MS })).status === Status.SERVING
}
