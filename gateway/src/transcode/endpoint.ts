/** A route of the contract as an endpoint, by what its bodies hold. */
import type { Route } from '@millhand/api'
import { withDeprecation } from '../deprecation.ts'
import type { Endpoint } from '../dispatch.ts'
import { download } from '../download/download.ts'
import { type EventsDeps, events } from '../streams/events.ts'
import { type UploadDeps, upload } from '../upload/upload.ts'
import { type JsonMethodDeps, jsonMethod } from './json-method.ts'

export type EndpointDeps = JsonMethodDeps & UploadDeps & EventsDeps

/** Throws where the contract asks for something that can't be served over HTTP. */
export function endpoint(route: Route, deps: EndpointDeps): Endpoint {
  const pattern = route.template.replace(/\{(\w+)\}/g, ':$1')
  const handle = handlerOf(route, deps)
  return { method: route.method, pattern, isMeasured: true, handle: withDeprecation(route, handle) }
}

function handlerOf(route: Route, deps: EndpointDeps): Endpoint['handle'] {
  switch (route.kind) {
    case 'json':
      return jsonMethod(route, deps)
    case 'upload':
      return upload(route, deps)
    case 'download':
      return download(route, deps)
    case 'events':
      return events(route, deps)
  }
}
