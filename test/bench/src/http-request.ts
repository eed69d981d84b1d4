export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly key?: string
  /** Sent as JSON text, unless `headers` says otherwise. */
  readonly body?: string
  /** Seconds of `Prefer: wait`. */
  readonly wait?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A whole HTTP/1.1 request as it goes over the wire. */
export function httpRequest({ method, path, key, body, wait, headers = {} }: Request): string {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost']
  if (key !== undefined) head.push(`Authorization: Bearer ${key}`)
  if (wait !== undefined) head.push(`Prefer: wait=${wait}`)
  const all = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers }
  for (const [name, value] of Object.entries(all)) head.push(`${name}: ${value}`)
  if (body !== undefined) head.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}
