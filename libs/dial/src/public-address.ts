/**
 * Which addresses are anybody's to reach. Refused are IANA's special-purpose registries, whole (RFC 6890; read in
 * November 2026), also where they say "globally reachable", for nobody has an endpoint there:
 * https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
import { isIPv6 } from 'node:net'
import { addressRanges } from './address-ranges.ts'

/** False for whatever is not one address that belongs to the public internet. */
export function isPublic(address: string): boolean {
  if (isIPv6(address)) return globalUnicast.has(address) && !special6.has(address) && !isIsatap(address)
  return all4.has(address) && !special4.has(address)
}

const all4 = addressRanges(['0.0.0.0/0'])

const special4 = addressRanges([
  '0.0.0.0/8', // "this network" (RFC 791); Linux takes 0.0.0.0 for itself
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // behind a carrier's NAT (RFC 6598); Alibaba's metadata at 100.100.100.200
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16/32', // Azure's metadata and DNS, a public address by its number only
  '169.254.0.0/16', // link-local (RFC 3927); the metadata of most clouds at 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocols (RFC 6890); Oracle's metadata at 192.0.0.192
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.31.196.0/24', // AS112 (RFC 7535)
  '192.52.193.0/24', // AMT (RFC 7450)
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112 (RFC 7534)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved (RFC 1112), and broadcast
])

/**
 * Global unicast is all that IANA has given out (RFC 4291, section 2.4). Outside of it are loopback, link-local, ULA
 * and with them the clouds' fd00:ec2::254 and fd20:ce::254, multicast, and what has an IPv4 address within:
 * IPv4-mapped and -compatible (RFC 4291), NAT64 (64:ff9b::/96, RFC 6052; 64:ff9b:1::/48, RFC 8215).
 */
const globalUnicast = addressRanges(['2000::/3'])

const special6 = addressRanges([
  '2001::/23', // IETF protocols (RFC 2928): Teredo, which has an IPv4 address within, ORCHID, benchmarks
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4 (RFC 3056): an IPv4 address within
  '2620:4f:8000::/48', // AS112 (RFC 7534)
  '3fff::/20', // documentation (RFC 9637)
])

/** An interface identifier of ISATAP (RFC 5214, section 6.1), under whatever prefix: it has an IPv4 address within. */
const isIsatap = (address: string): boolean =>
  /:(0|200)?:5efe:(:|[\da-f]+:[\da-f]+)\]$/.test(URL.parse(`http://[${address}]`)?.hostname ?? '')
