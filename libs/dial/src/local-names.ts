/** Names of the operator's own machines, as any program on this one finds them: files, search domains and all. */
import { lookup } from 'node:dns/promises'
import { DialFailure } from './failure.ts'

/** All addresses of a name; whoever asks sees to it that only what the operator allows is dialled. */
export async function localAddresses(name: string): Promise<readonly string[]> {
  try {
    const found = await lookup(name, { all: true })
    return found.map(({ address }) => address)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND') {
      throw new DialFailure('dns_failed', 'the name does not exist')
    }
    throw new DialFailure('dns_unavailable', 'the name can not be looked up')
  }
}
