/** Routes of the contract as endpoints, by what their bodies hold. */
import type { Route, RouteOf, ShortRoute } from '@millhand/api'
import { withDeprecation } from '../deprecation.ts'
import type { Endpoint } from '../dispatch.ts'
import { download } from '../download/download.ts'
import { type EventsDeps, events } from '../streams/events.ts'
import { type UploadDeps, upload } from '../upload/upload.ts'
import { byBody, byId } from './choice.ts'
import { type JsonMethodDeps, jsonMethod } from './json-method.ts'

export type EndpointDeps = JsonMethodDeps & UploadDeps & EventsDeps

/** A route with those that answer what is their own at its address. Throws where the contract asks for something that can't be served over HTTP. */
export function endpoint(route: Route, shorts: readonly ShortRoute[], deps: EndpointDeps): Endpoint {
  const { method, template } = route
  const pattern = template.replace(/\{(\w+)\}/g, ':$1')
  const atAddress = shorts.filter(short => short.route.method === method && short.route.template === template)
  return { method, pattern, isMeasured: true, handle: handleAll(route, atAddress, deps) }
}

function handleAll(route: Route, [short, ...others]: readonly ShortRoute[], deps: EndpointDeps): Endpoint['handle'] {
  if (short === undefined) return handlerOf(route, deps)
  if (others.length > 0) throw new Error(`${route.desc} shares its address with more than one method`)
  const { own, route: other } = short
  if ('idPrefix' in own) return byId(handlerOf(route, deps), own.idPrefix, handlerOf(other, deps))
  return byBody(jsonMethod(json(route), deps), own.field, jsonMethod(json(other), deps), deps)
}

function json(route: Route): RouteOf<'json'> {
  if (route.kind === 'json' && route.deprecated === undefined) return route
  throw new Error(`${route.desc} is chosen by a body that it has not`)
}

function handlerOf(route: Route, deps: EndpointDeps): Endpoint['handle'] {
  return withDeprecation(route, plainHandler(route, deps))
}

function plainHandler(route: Route, deps: EndpointDeps): Endpoint['handle'] {
  switch (route.kind) {
    case 'json':
      return jsonMethod(route, deps).handle
    case 'upload':
      return upload(route, deps)
    case 'download':
      return download(route, deps)
    case 'events':
      return events(route, deps)
  }
}
