/** Other addresses at which methods answer, in the place of the methods that have them. */
import { type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf'
import { type ShortForm, short_form } from './gen/millhand/type/v1/access_pb.ts'
import { type Route, routeAt } from './routes.ts'

/** A route at the address of another one, which answers there what is its own. */
export interface ShortRoute {
  readonly route: Route
  /** What is its own: where the path's `id` begins so, or where the body has a field of this name. */
  readonly own: { readonly idPrefix: string } | { readonly field: string }
}

/**
 * The short forms of services, whose routes are given. Throws for one whose address no other method has, or that does not
 * say what is its own.
 */
export function shortRoutes(services: readonly DescService[], routes: readonly Route[]): ShortRoute[] {
  return services.flatMap(service =>
    service.methods
      .filter(desc => hasOption(desc, short_form))
      .map(desc => shortRoute(desc, service, getOption(desc, short_form), routes)),
  )
}

function shortRoute(desc: DescMethod, service: DescService, form: ShortForm, routes: readonly Route[]): ShortRoute {
  const route = routeAt(desc, service, form.path)
  const has = routes.some(({ method, template }) => method === route.method && template === form.path)
  if (!has) throw new Error(`${desc} has a short form at ${form.path}, where no method answers`)
  return { route, own: ownOf(desc, route, form) }
}

function ownOf(desc: DescMethod, route: Route, { idPrefix, hasField }: ShortForm): ShortRoute['own'] {
  if (idPrefix !== '' && hasField === '' && route.pathFields.includes('id')) return { idPrefix }
  const isField = desc.input.fields.some(({ name }) => name === hasField)
  if (idPrefix === '' && isField && route.kind === 'json' && route.body === '*') return { field: hasField }
  throw new Error(`${desc} has a short form that does not say what is its own`)
}
