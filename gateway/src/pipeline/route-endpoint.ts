/** Routes of the contract as endpoints. */
import type { Route, RouteOf, ShortRoute } from '@millhand/api'
import { withDeprecation } from '../deprecation.ts'
import type { Endpoint, Handle } from './match.ts'
import { createPipeline, type PipelineDeps } from './pipeline.ts'
import { byBody, byId } from './short-forms.ts'

/**
 * The endpoint of a route and of the short route at its address, if there is one. Throws where the contract asks for
 * something that can't be served over HTTP.
 */
export function routeEndpoint(route: Route, shorts: readonly ShortRoute[], deps: PipelineDeps): Endpoint {
  const { method, template } = route
  const pattern = template.replace(/\{(\w+)\}/g, ':$1')
  const atAddress = shorts.filter(short => short.route.method === method && short.route.template === template)
  return { method, pattern, isMeasured: true, handle: handleAll(route, atAddress, deps) }
}

function handleAll(route: Route, [short, ...others]: readonly ShortRoute[], deps: PipelineDeps): Handle {
  if (short === undefined) return handleOne(route, deps)
  if (others.length > 0) throw new Error(`${route.desc} shares its address with more than one method`)
  const { own, route: other } = short
  if ('idPrefix' in own) return byId(handleOne(route, deps), own.idPrefix, handleOne(other, deps))
  return byBody(json(route), own.field, json(other), deps)
}

function json(route: Route): RouteOf<'json'> {
  if (route.kind === 'json' && route.deprecated === undefined) return route
  throw new Error(`${route.desc} is chosen by a body that it has not`)
}

const handleOne = (route: Route, deps: PipelineDeps): Handle => withDeprecation(route, createPipeline(route, deps))
