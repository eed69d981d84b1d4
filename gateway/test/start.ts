/** A gateway on a free port before fake services, for tests. */
import type { TestContext } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { createHealth, manualClock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { createGateway, type GatewayDeps, localLimiter } from '../src/gateway.ts'
import { FakeServices, now } from './fake-services.ts'

export interface LogLine {
  readonly level: string
  readonly event: string
  readonly fields: Record<string, unknown>
}

/** Starts a gateway that ends with the test. */
export async function start(t: TestContext, options: Partial<GatewayDeps> = {}) {
  const services = new FakeServices()
  const clock = manualClock(now)
  const health = createHealth()
  const lines: LogLine[] = []
  const gateway = createGateway({
    services: [ComputeService, FileService, IdentityService],
    transport: services.transport,
    identity: services.identity,
    idempotency: createClient(IdempotencyService, services.transport),
    billing: {
      listReachedLimits: async () => ({ $typeName: 'millhand.billing.v1.ListReachedLimitsResponse', limits: [] }),
    },
    limiter: localLimiter(clock),
    status: createClient(StatusService, services.transport),
    health,
    clock,
    log: logTo(lines),
    http: { host: '127.0.0.1', port: 0 },
    ...options,
  })
  const { url } = await gateway.listen()
  t.after(() => gateway.close())
  const key = services.key(['*'])
  /** A call with the key that may do everything, unless `init` says otherwise. */
  const call = (path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...headers } })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call('/v1/tasks', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { gateway, url, port: Number(new URL(url).port), services, clock, health, lines, key, call, post }
}

export const validTask = { type: 'inference', model: 'digits', input: 'x' }

function logTo(lines: LogLine[]): Log {
  const at =
    (level: string): Log['info'] =>
    (event, fields = {}) =>
      void lines.push({ level, event, fields })
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log }
  return log
}
