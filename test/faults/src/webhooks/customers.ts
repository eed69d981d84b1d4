/** Accounts with keys, and their endpoints, made as operators and customers make them. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '@millhand/test-e2e/http'
import { runOperator } from '../../../../deploy/src/operator/run-operator.ts'
import type { System } from '../system.ts'
import type { Endpoint } from './deliveries.ts'
import type { Plan } from './endpoints.ts'
import type { Receivers } from './receivers.ts'

export interface Tenant {
  /** Account and mode. */
  readonly name: string
  readonly mode: 'live' | 'test'
  readonly key: string
}

/** Each account is two tenants: its real objects and its sandbox. */
export async function createTenants({ operator }: System, accounts: number): Promise<Tenant[]> {
  const operate = async (...words: readonly string[]) => {
    let [said, failed] = ['', '']
    const out = (text: string) => (said += text)
    const err = (text: string) => (failed += text)
    const code = await runOperator([...words, '--json'], operator, { out, err })
    if (code !== 0) throw new Error(`${words.join(' ')}: ${failed}`)
    return JSON.parse(said)
  }
  const plans = ['compute', 'developer', 'workforce'].map(family => `${family}=enterprise`)
  const tenants: Tenant[] = []
  for (let n = 1; n <= accounts; n++) {
    const { id } = await operate('accounts', 'create', `Customer ${n}`, ...plans)
    for (const mode of ['live', 'test'] as const) {
      const { key } = await operate('keys', 'create', 'storm', '--account', id, '--mode', mode)
      tenants.push({ name: `${id}/${mode}`, mode, key })
    }
  }
  return tenants
}

/** An endpoint that there is. */
interface Made {
  readonly plan: Plan
  readonly endpoint: Endpoint
  readonly id: string
  readonly secret: string
}

export interface Customers {
  readonly made: readonly Made[]
  create(plan: Plan): Promise<void>
  /** Deletes or disables it, as was planned. */
  end(made: Made): Promise<void>
}

const PATIENCE_MS = 60_000

export function createCustomers(system: System, tenants: readonly Tenant[], receivers: Receivers): Customers {
  const made: Made[] = []

  /** Until it is answered, whatever is away meanwhile. */
  const call = async (tenant: Tenant, method: string, path: string, more: object = {}): Promise<Answer> => {
    const deadline = performance.now() + PATIENCE_MS
    const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': crypto.randomUUID() }
    for (;;) {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const answer = await send(method, `${system.urls()[0]}/v1/${path}`, { headers, signal, ...more })
      if (answer.status < 300) return answer
      // 409: what of it was done before is not known yet.
      if ((answer.status < 500 && answer.status !== 409) || performance.now() > deadline)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      await pause(200)
    }
  }

  return {
    made,
    async create(plan) {
      const { tenant: at, patterns: events, manner, signature, life } = plan
      const tenant = tenants[at] as Tenant
      const path = `/endpoint/${crypto.randomUUID().slice(0, 8)}`
      const asked = Date.now()
      const json = { url: receivers.url(path, manner), events, signature }
      const { body } = await call(tenant, 'POST', 'webhooks', { json })
      const isLiving = (life === 'stays' || life === 'is made late') && ['healthy', 'slow', 'flaky'].includes(manner)
      const endpoint = { path, tenant: tenant.name, patterns: events, isLiving, asked, made: Date.now() }
      made.push({ plan, endpoint, id: body.id, secret: body.secret })
    },
    async end(ending) {
      const { plan, id, endpoint } = ending
      const tenant = tenants[plan.tenant] as Tenant
      if (plan.life === 'is deleted') await call(tenant, 'DELETE', `webhooks/${id}`)
      else await call(tenant, 'PATCH', `webhooks/${id}`, { json: { status: 'disabled' } })
      made[made.indexOf(ending)] = { ...ending, endpoint: { ...endpoint, ended: Date.now() } }
    },
  }
}
