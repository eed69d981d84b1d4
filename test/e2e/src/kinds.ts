/** The kinds of work as the product itself has them: their examples, their schemas, what they measure. */
import assert from 'node:assert/strict'
import { type KindSpec, readCatalogue } from '@millhand/employees/catalogue'
import { measured } from '@millhand/employees/run-rules'
import type { Wire } from './http.ts'
import type { Served } from './server.ts'

export function kindOf(employee: string, task: string): KindSpec {
  const kind = readCatalogue()
    .flatMap(({ kinds }) => kinds)
    .find(each => each.employee === employee && each.id === task)
  assert.ok(kind, `${employee} ${task}`)
  return kind
}

/** What the kind measures on what came over the wire for a brief; `artifacts` have their bytes. */
export async function checksOf(kind: KindSpec, brief: object, output: Wire, artifacts: readonly Wire[] = []) {
  const whole = { topic: '', tone: '', input: {}, constraints: {}, files: [], seed: 0, ...brief }
  return (await measured(kind, whole, { ...output, artifacts: [...artifacts] })).checks
}

/** What an output says of its artifacts, with their bytes. */
export async function artifactsOf(server: Served, { artifacts }: Wire): Promise<Wire[]> {
  return await Promise.all(
    artifacts.map(async ({ file, ...artifact }: Wire) => {
      const { bytes } = await server.request('GET', `/v1/files/${file}/content`)
      return { ...artifact, bytes: new Uint8Array(bytes) }
    }),
  )
}

/** A kind as `GET /v1/workforce/employees` shows it. */
export async function publishedKind(server: Served, { employee, id }: KindSpec): Promise<Wire> {
  const { body } = await server.request('GET', '/v1/workforce/employees')
  return body.data.find((one: Wire) => one.id === employee).tasks.find((one: Wire) => one.id === id)
}
