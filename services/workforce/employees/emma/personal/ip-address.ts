import { BlockList, isIP } from 'node:net'
import type { Found } from './found.ts'

/** Addresses that everybody has: they say nothing about anybody. */
const common = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  common.addSubnet(network, prefix)
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  common.addSubnet(network, prefix, 'ipv6')

/** What else is numbered in four parts. */
const numbered = /(?:version|firmware|driver|release|section|chapter|build)[ :]$/i

/** Addresses of the Internet; not those of local networks. */
export function* ipAddresses(text: string): Iterable<Found> {
  for (const { 0: written, index: start } of text.matchAll(
    /(?<![\p{L}\p{N}.:])[0-9a-f:][0-9a-f.:]{5,44}(?![\p{L}\p{N}])/giu,
  )) {
    if (numbered.test(text.slice(Math.max(0, start - 16), start))) continue
    // A port behind it is no part of it.
    const address = written.replace(/(?<=^\d+\.\d+\.\d+\.\d+):\d*$|[.:]$/, '')
    const version = isIP(address)
    if (version === 0 || common.check(address, version === 4 ? 'ipv4' : 'ipv6')) continue
    yield { kind: 'ip_address', start, end: start + address.length }
  }
}
