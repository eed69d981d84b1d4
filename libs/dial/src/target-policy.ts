/** What an URL that a customer gave leads to, and what is wrong with it before anything is dialled. */

import { isIP } from 'node:net'
import os from 'node:os'
import type { AddressRanges } from './address-ranges.ts'
import { DialFailure } from './failure.ts'
import { isPublic } from './public-address.ts'

/** What may be dialled. */
export interface Policy {
  /** Plain `http` is allowed to all; else only to what the operator allows. */
  readonly plainHttp: boolean
  /** What the operator allows beyond the public internet. */
  readonly allow: AddressRanges
}

export interface Target {
  readonly secure: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** Host, and the port where it is not the scheme's own; an IPv6 address in brackets. */
  readonly authority: string
  /** With the query. */
  readonly path: string
  /**
   * Whether all of these addresses may be dialled for this target; whoever connects asks. `from`: the address of this
   * machine that the connection came to have, once there is one. Fails with `no_sockets`, likewise.
   */
  mayReach(addresses: readonly string[], from?: string): boolean
  /** The name is not one of the public DNS: only the operator's own machines can know it. */
  readonly local: boolean
}

/** What is wrong with an URL, to be said to who gave it; undefined when it may be tried. Looks nothing up. */
export function targetFault(url: string, policy: Policy): string | undefined {
  try {
    const target = readTarget(url, policy)
    return 'fault' in target ? target.fault : undefined
  } catch (error) {
    // It is seen when it is dialled.
    if (error instanceof DialFailure) return undefined
    throw error
  }
}

/** The same, and where it leads. Fails with `no_sockets` where the machine's own addresses can't be read. */
export function readTarget(url: string, { plainHttp, allow }: Policy): Target | { fault: string } {
  if (url.length > LONGEST_URL) return { fault: `is longer than ${LONGEST_URL} characters` }
  // The parser would mend what has no slashes or white space within: what is kept should be what is dialled.
  const isPlain = /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(url)
  const parsed = isPlain ? URL.parse(url) : null
  if (parsed === null) return { fault: 'is not an absolute http or https URL' }
  if (parsed.username !== '' || parsed.password !== '') return { fault: 'has credentials in it' }
  if (url.includes('#')) return { fault: 'has a fragment' }

  const secure = parsed.protocol === 'https:'
  const port = parsed.port === '' ? (secure ? 443 : 80) : Number(parsed.port)
  if (blockedPorts.has(port)) return { fault: `has port ${port}, which is for something else than HTTP` }

  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  const isAddress = isIP(host) !== 0
  const local = !isAddress && isLocal(host)
  if (!secure && !plainHttp && (isAddress ? !allow.has(host) : allow.empty)) return { fault: 'is not https' }
  const mayReach = (addresses: readonly string[], from?: string) => {
    const foreign = addresses.filter(address => !allow.has(address))
    if (foreign.length === 0) return true
    if (local || !(secure || plainHttp) || !foreign.every(isPublic)) return false
    const own = interfaceAddresses()
    return foreign.every(address => address !== from && !own.has(address))
  }
  if (isAddress) {
    if (!mayReach([host])) return { fault: 'has an address that is not public' }
  } else {
    if (!NAME.test(host)) return { fault: 'has a host that is not a name or an address' }
    if (local && allow.empty) return { fault: 'has a name that is not public' }
  }
  return { secure, host, port, authority: parsed.host, path: parsed.pathname + parsed.search, mayReach, local }
}

const LONGEST_URL = 2_048

/** Labels of letters, digits, `-` and `_`, no empty one: so no dot at the end, which would be another name to TLS. */
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** One label, or under a top that the public DNS does not have (RFC 6761, 6762, 7686, 8375, 9476; ICANN on `internal`). */
function isLocal(name: string): boolean {
  const labels = name.split('.')
  return labels.length === 1 || notPublic.has(labels.at(-1) as string) || name.endsWith('.home.arpa')
}

const notPublic: ReadonlySet<string> = new Set([
  'alt',
  'example',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
])

/**
 * Ports where something else than a web server listens that could be talked to by HTTP: mail, SSH, IRC, X11 and such.
 * The list of the fetch standard (https://fetch.spec.whatwg.org/#port-blocking), which browsers keep to.
 */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * The addresses of this machine, public ones too: what listens there may be meant for its own network alone. They are
 * looked up each time, for interfaces come and go. One without a carrier is left out, though its addresses can be
 * connected to: then both ends of the connection have the same address. Fails with `no_sockets`: it takes a file
 * descriptor.
 */
function interfaceAddresses(): ReadonlySet<string> {
  try {
    const lists = Object.values(os.networkInterfaces())
    return new Set(lists.flatMap(list => (list ?? []).map(({ address }) => address)))
  } catch {
    throw new DialFailure('no_sockets', 'no connection can be opened here')
  }
}
