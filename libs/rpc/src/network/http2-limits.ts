/** What a client of HTTP/2 may hold of a server. */
import type { ServerOptions } from 'node:http2'

/** Of one caller. One of ours has one tunnel; others wait for work or for a task in each of these. */
const MAX_STREAMS = 1_000
/** Of all header lines of a call: a token and a principal have at most 8 kB each. */
const MAX_HEADER_BYTES = 32 * 1024
/** MB that Node lets a session hold of its streams and of what waits to be sent; its default of 10 is a few answers. */
const SESSION_MEMORY_MB = 64

/** Node itself ends sessions that reset streams as fast as they can (CVE-2023-44487). */
export const http2Limits = {
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  maxSessionMemory: SESSION_MEMORY_MB,
} satisfies ServerOptions
