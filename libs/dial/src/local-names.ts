/** Names of the operator's own machines, as any program on this one finds them: files, search domains and all. */
import { lookup } from 'node:dns/promises'
import { DialFailure } from './failure.ts'
import type { Resolver } from './resolver.ts'

/** All addresses of a name; whoever asks sees to it that only what the operator allows is dialled. */
export async function localAddresses(name: string, resolver: Pick<Resolver, 'works'>): Promise<readonly string[]> {
  try {
    const found = await lookup(name, { all: true })
    return found.map(({ address }) => address)
  } catch (error) {
    throw await lookupFailure(error, resolver)
  }
}

/** The machine says the same of a name whose own servers fail and of all names while there is no resolver: EAI_AGAIN. */
export async function lookupFailure(error: unknown, resolver: Pick<Resolver, 'works'>): Promise<DialFailure> {
  if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND') {
    return new DialFailure('dns_failed', 'the name does not exist')
  }
  if (await resolver.works()) return new DialFailure('dns_failed', 'the name can not be looked up')
  return new DialFailure('dns_unavailable', 'no DNS server can be asked')
}
