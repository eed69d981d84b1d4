/** The gateway's own address, as its callers write it. */

/**
 * The address that a `Host` header names, without a slash at its end; empty where it names none. This server speaks plain
 * HTTP: behind a proxy that ends TLS the deployment sets the address itself.
 */
export function baseUrlOf(host: string | undefined): string {
  return host !== undefined && AUTHORITY.test(host) ? `http://${host}` : ''
}

/** A name or an address, and perhaps a port (RFC 9110, section 7.2). */
const AUTHORITY = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
