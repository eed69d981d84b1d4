/** Ranges of addresses, as an operator writes them. */
import { BlockList, isIP } from 'node:net'

export interface AddressRanges {
  /** `address` is an IPv4 or IPv6 address; whatever else it is, it is in no range. IPv4 ranges hold their IPv4-mapped form. */
  has(address: string): boolean
  readonly empty: boolean
}

/** Reads CIDR ranges and single addresses with commas between; '' has none. Throws with a clear line on what is neither. */
export function parseRanges(text: string): AddressRanges {
  const ranges = text.split(',').map(range => range.trim())
  return addressRanges(ranges.filter(range => range !== ''))
}

/** The same of a list. */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix, ...more] = range.split('/')
    const family = familyOf(address)
    const bits = family === 'ipv4' ? 32 : 128
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    if (family === undefined || more.length > 0 || !(length <= bits)) {
      throw new Error(`${JSON.stringify(range)} is not a range of addresses, such as 10.0.0.0/8 or fd00::/8`)
    }
    list.addSubnet(address, length, family)
  }
  return {
    has(address) {
      const family = familyOf(address)
      return family !== undefined && list.check(address, family)
    },
    empty: ranges.length === 0,
  }
}

/** Undefined for an address with a zone too (RFC 4007): it says nothing about where it leads. */
function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (address.includes('%')) return undefined
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)]
}
