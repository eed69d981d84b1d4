/** One way to several services: each call goes where its service is answered. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'

/**
 * A transport over others, each with the services that are reached through it.
 *
 * @throws Error for a service that two of them have; a call of one that none has rejects
 */
export function routeByService(ways: readonly (readonly [Transport, readonly DescService[]])[]): Transport {
  const byName = new Map<string, Transport>()
  for (const [transport, services] of ways) {
    for (const { typeName } of services) {
      if (byName.has(typeName)) throw new Error(`${typeName} has two ways`)
      byName.set(typeName, transport)
    }
  }
  const to = ({ parent }: DescMethod): Transport => {
    const transport = byName.get(parent.typeName)
    if (!transport) throw new Error(`there is no way to ${parent.typeName}`)
    return transport
  }
  return {
    unary: async (method, ...call) => await to(method).unary(method, ...call),
    stream: async (method, ...call) => await to(method).stream(method, ...call),
  }
}
