/** A route of the contract as an endpoint, by what its bodies hold. */
import type { Route } from '@millhand/api'
import type { Endpoint } from '../dispatch.ts'
import { download } from '../download/download.ts'
import { type UploadDeps, upload } from '../upload/upload.ts'
import { type OperationDeps, operation } from './operation.ts'

export type EndpointDeps = OperationDeps & UploadDeps

/** Throws where the contract asks for something that can't be served over HTTP. */
export function endpoint(route: Route, deps: EndpointDeps): Endpoint {
  const pattern = route.template.replace(/\{(\w+)\}/g, ':$1')
  return { method: route.method, pattern, handle: handlerOf(route, deps) }
}

function handlerOf(route: Route, deps: EndpointDeps): Endpoint['handle'] {
  switch (route.kind) {
    case 'json':
      return operation(route, deps)
    case 'upload':
      return upload(route, deps)
    case 'download':
      return download(route, deps)
  }
}
