/** The methods that callers of gRPC, gRPC-Web and Connect reach, with the rules that REST has for them. */
import { type DescMethod, type DescMethodUnary, type DescService, getOption, hasOption } from '@bufbuild/protobuf'
import type { Route } from '@millhand/api'
import { http } from '@millhand/api/gen/google/api/annotations_pb.ts'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'

/**
 * Those that name a scope: what REST answers, and the waits that it reaches by `Prefer: wait`. Throws where one is neither.
 * `rest` are the routes of the services.
 */
export function rpcRoutes(services: readonly DescService[], rest: readonly Route[]): Route[] {
  return services.flatMap(service =>
    service.methods
      .filter(method => hasOption(method, access))
      .map(method => rest.find(({ desc }) => desc === method) ?? waitRoute(method, rest)),
  )
}

/** Whether the method waits for a resource. */
export const isWait = ({ desc }: Route): boolean => !hasOption(desc, http)

/** The route of the method that gets the same resource, for a method without a path of its own. */
function waitRoute(method: DescMethod, rest: readonly Route[]): Route {
  const get = rest.find(({ desc }) => desc.parent === method.parent && desc.name === `Get${method.output.name}`)
  if (get?.kind !== 'json' || method.name !== `Wait${method.output.name}` || method.methodKind !== 'unary') {
    throw new Error(`${method} has an access option, and is neither a route of HTTP nor a wait`)
  }
  return { ...get, desc: method as DescMethodUnary, access: getOption(method, access), deprecated: undefined }
}
