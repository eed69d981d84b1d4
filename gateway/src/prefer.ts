/** The `Prefer` header (RFC 7240), of which `wait` is honoured and everything else ignored. */

/** The longest wait, in seconds; a longer one is taken as this. */
const longestWaitS = 60

/** Seconds that the caller would wait, 1 to 60; 0 where it does not say, or says it in a way that has no meaning. */
export function preferredWait(prefer: string | undefined): number {
  if (prefer === undefined) return 0
  for (const preference of prefer.split(',')) {
    const wait = waitPreference.exec(preference)
    // The first of several counts (RFC 7240, section 2).
    if (wait) return Math.min(Number(wait[2]), longestWaitS)
  }
  return 0
}

const waitPreference = /^\s*wait\s*=\s*("?)(\d{1,9})\1\s*(?:;.*)?$/i
