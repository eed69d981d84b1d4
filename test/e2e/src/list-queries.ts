/** What a list can be filtered and ordered by. */
import assert from 'node:assert/strict'
import type { Route } from '@millhand/api'
import type { Caller } from './account-resources.ts'
import type { Wire } from './http.ts'
import { nameOf } from './routes.ts'

/** A query for each parameter of a list, with which the object is in it. */
export function queriesOf(route: Route, object: Wire, owner: Caller): string[] {
  return route.desc.input.fields
    .filter(({ name }) => name !== 'cursor' && !route.pathFields.includes(name))
    .flatMap(({ name }) => {
      const own = object[name]
      const values =
        parameters[name]?.(owner, object) ??
        (typeof own === 'string' ? [`${name}=${encodeURIComponent(own)}`] : undefined)
      assert.ok(values, `list-queries.ts has no value for ${name} of ${nameOf(route)}: add it to \`parameters\``)
      return values.map(value => `${value}&limit=100`)
    })
}

const parameters: Readonly<Record<string, (owner: Caller, object: Wire) => readonly string[]>> = {
  limit: () => ['order=desc'],
  order: () => ['order=desc', 'order=asc'],
  created_after: () => ['created_after=2020-01-01T00:00:00Z'],
  created_before: () => ['created_before=2100-01-01T00:00:00Z'],
  metadata: ({ name }) => [`metadata[of]=${encodeURIComponent(name)}`],
  // No batch has made the object.
  batch_id: () => [],
  include: () => ['include=input,output'],
  resource_id: (_, { data }) => [`resource_id=${data.object.id}`],
}
