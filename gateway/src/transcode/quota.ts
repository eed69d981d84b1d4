/** What a service says of its caller's quota, beside what is said of the rate. */
import { ConnectError } from '@connectrpc/connect'
import type { Exchange } from '../exchange.ts'

/** The answer; what it says is said to the caller too, whatever the answer is. */
export async function withQuota<A extends { readonly header: Headers }>(
  exchange: Exchange,
  asking: Promise<A>,
): Promise<A> {
  try {
    const answer = await asking
    carry(exchange, answer.header)
    return answer
  } catch (error) {
    if (error instanceof ConnectError) carry(exchange, error.metadata)
    throw error
  }
}

function carry(exchange: Exchange, said: Headers): void {
  for (const name of ['RateLimit-Policy', 'RateLimit']) {
    const value = said.get(name)
    if (value !== null) exchange.carry(name, value)
  }
}
