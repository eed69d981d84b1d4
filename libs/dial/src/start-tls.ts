/** TLS over a connection whose address has been checked. */
import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { DialFailure } from './failure.ts'

/** `ca`: PEM certificates of the authorities to trust instead of Node's and of `NODE_EXTRA_CA_CERTS`. */
export function createTrust(ca?: string): SecureContext {
  return createSecureContext({ ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' })
}

/** Resolves when the certificate has been found to be for `host`; destroys the socket otherwise. */
export function startTls(
  socket: Socket,
  { host, secureContext }: { host: string; secureContext: SecureContext },
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const tls = connect({
      socket,
      host,
      // No name is sent for an address (RFC 6066, section 3); the certificate is then compared with `host`.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
    })
    tls.disableRenegotiation()
    const onAbort = () => fail(signal.reason)
    const onError = ({ code }: NodeJS.ErrnoException) => fail(new DialFailure('tls_failed', wordsOf(code)))
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      tls.destroy()
      socket.destroy()
      reject(error)
    }
    tls.on('error', onError)
    tls.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort)
      tls.off('error', onError)
      resolve(tls)
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

function wordsOf(code: string | undefined): string {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'the certificate is for another name'
    case 'CERT_HAS_EXPIRED':
      return 'the certificate has expired'
    case 'CERT_NOT_YET_VALID':
      return 'the certificate is not valid yet'
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'the certificate is not from an authority that is known'
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'the certificate is from an authority that is not known, or the one between was not sent'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was closed in the TLS handshake'
    default:
      return 'the TLS handshake failed'
  }
}
