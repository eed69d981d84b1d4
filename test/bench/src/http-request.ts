export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly key?: string
  /** Sent as JSON text. */
  readonly body?: string
  /** Seconds of `Prefer: wait`. */
  readonly wait?: number
}

/** A whole HTTP/1.1 request as it goes over the wire. */
export function httpRequest({ method, path, key, body, wait }: Request): string {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost']
  if (key !== undefined) head.push(`Authorization: Bearer ${key}`)
  if (wait !== undefined) head.push(`Prefer: wait=${wait}`)
  if (body !== undefined) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}
