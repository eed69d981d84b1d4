/** Registers services so that none can forget its checks. */
import { type DescMethod, type DescService, getOption, hasOption, type Message } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { http } from '@millhand/api/gen/google/api/annotations_pb.ts'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Routes } from './direct-transport.ts'
import type { Handler } from './handler.ts'
import { principalKey } from './principal.ts'
import { withServerSpan } from './trace.ts'
import { assertHasCheck, check } from './validation/validation.ts'

/**
 * Registers the services of `routes` on a transport or a ConnectRouter. Each request is checked against its
 * `buf.validate` rules before the handler sees it, and a method with an `access` option is refused without a principal. Where traces
 * are on, each has a span.
 *
 * @throws Error when a method with an HTTP route has no `access` option, or a request has no generated check
 */
export function serve(routes: (router: Routes) => void, on: Routes): void {
  routes({
    service: (desc, impl) => on.service(desc, guarded(desc, impl as Implementation) as typeof impl),
  })
}

type Implementation = Record<string, Handler | undefined>

function guarded(desc: DescService, impl: Implementation): Implementation {
  const checked: Implementation = {}
  for (const method of desc.methods) {
    if (hasOption(method, http) && !getOption(method, access).scope) {
      throw new Error(`${desc.typeName}.${method.name} has an HTTP route and no access option`)
    }
    assertHasCheck(method.input)
    const handle = impl[method.localName]
    if (handle) checked[method.localName] = withServerSpan(method, guard(method, handle.bind(impl)))
  }
  return checked
}

function guard(method: DescMethod, handle: Handler): Handler {
  const needsPrincipal = hasOption(method, access)
  const admit = (call: HandlerContext) => {
    if (needsPrincipal && call.values.get(principalKey) === undefined) throw anonymous()
  }
  switch (method.methodKind) {
    case 'unary':
    case 'server_streaming':
      return (request, call) => {
        admit(call)
        check(method.input, request as Message)
        return handle(request, call)
      }
    case 'client_streaming':
    case 'bidi_streaming':
      return (requests, call) => {
        admit(call)
        return handle(eachChecked(method, requests as AsyncIterable<Message>), call)
      }
  }
}

async function* eachChecked(method: DescMethod, requests: AsyncIterable<Message>): AsyncGenerator<Message> {
  for await (const request of requests) {
    check(method.input, request)
    yield request
  }
}

const anonymous = () => fail('missing_credentials', 'This call needs a caller, and came without one.')
