/** Every route that is served, from the contract: a test that goes over them has a new one by itself. */
import { httpRoutes, type Route } from '@millhand/api'
import { publicServices } from '@millhand/gateway'

export const routes: readonly Route[] = httpRoutes(publicServices)

export const nameOf = ({ method, template }: Route): string => `${method} ${template}`

/** The path of a route, with these values in the places of its fields; throws where one has none. */
export const pathOf = ({ template }: Route, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, field) => {
    const value = values[field]
    if (value === undefined) throw new Error(`${template}: no value for ${field}`)
    return encodeURIComponent(value)
  })

/** The values of a path that leads to an object: its own id, and those of what it is in. */
export const valuesFor = (
  { pathFields }: Route,
  object: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(pathFields.map(field => [field, object[field] ?? object.id ?? '']))

/** Whether its path begins with an employee, whom nobody owns. */
const isOfEmployee = ({ pathFields }: Route): boolean => pathFields[0] === 'employee'

/** Whether its path names no object. */
export const namesNone = (route: Route): boolean => route.pathFields.length === (isOfEmployee(route) ? 1 : 0)

/** Of such a route: the collection that it lists, or makes an object of. */
export const collectionAt = (route: Route): string =>
  isOfEmployee(route) ? 'workforce' : (route.segments.at(-1) as string)

/** The kinds of objects that paths name, by the collection before the last id: `tasks` of `/v1/tasks/{id}/data`. */
export function collectionOf(route: Route): string {
  if (isOfEmployee(route)) return 'workforce'
  const at = route.segments.findLastIndex(segment => typeof segment !== 'string')
  const before = route.segments[at - 1]
  return typeof before === 'string' ? before : ''
}
