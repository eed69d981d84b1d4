/** How a call learns that its server is about to stop. */
import { createContextKey } from '@connectrpc/connect'

/**
 * Fires when the server that the call came to stops taking calls. What could wait for long, or for ever, answers then:
 * the call itself goes on, but not for longer than the server's grace.
 */
export const drainingKey = createContextKey<AbortSignal>(new AbortController().signal, { description: 'draining' })
