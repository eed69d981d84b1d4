/** `grpc-message` as gRPC's specification encodes it. */

/**
 * Trailers whose `grpc-message` has only those characters encoded that have to be: Connect encodes more of them, and grpc-js,
 * which decodes with `decodeURI`, leaves `%2C` for a comma.
 */
export function grpcTrailer(trailer: Headers | undefined): Headers | undefined {
  const message = trailer?.get('grpc-message')
  if (!message) return trailer
  const lines = new Headers(trailer)
  lines.set('grpc-message', encodeMessage(decodeURIComponent(message)))
  return lines
}

/** Space to `~` stay, but for `%` (PROTOCOL-HTTP2.md, "Percent-Encoded"). */
const encodeMessage = (text: string): string =>
  text.replace(/[^ -$&-~]+/g, piece => {
    let encoded = ''
    for (const byte of Buffer.from(piece)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    return encoded
  })
