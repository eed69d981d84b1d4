import assert from 'node:assert/strict'
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Wire } from './http.ts'
import type { Served } from './server.ts'
import { answered } from './tasks.ts'

export const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Uploads `raw`, which `query` describes; the file. */
export async function upload(
  server: Served,
  raw: string | Uint8Array,
  query = '',
  mediaType = 'text/plain',
): Promise<Wire> {
  const path = query === '' ? '/v1/files' : `/v1/files?${query}`
  // The key makes the next one find the file that a lost one may have stored.
  const headers = { 'content-type': mediaType, 'idempotency-key': randomUUID() }
  const answer = await answered(() => server.request('POST', path, { raw, headers }))
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** An upload that a test sends bit by bit. */
export interface SlowUpload {
  /** Resolves when the bytes are on their way. */
  send(bytes: Uint8Array): Promise<void>
  /** Ends the body; the file. */
  end(): Promise<Wire>
  breakOff(): void
}

/** Begins an upload of `size` bytes; resolves when the server says that it reads it. */
export async function beginUpload(server: Served, size: number): Promise<SlowUpload> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-length': size, expect: '100-continue' }
  const outgoing = request(`${server.url}/v1/files`, { method: 'POST', headers, agent: false })
  const answer = new Promise<Wire>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', async incoming => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (incoming.statusCode === 201) resolve(JSON.parse(text))
      else reject(new Error(`${incoming.statusCode} ${text}`))
    })
  })
  // Whoever asks for it hears how it ended.
  answer.catch(() => {})
  outgoing.flushHeaders()
  await Promise.race([once(outgoing, 'continue'), answer])
  return {
    async send(bytes) {
      if (!outgoing.write(bytes)) await Promise.race([once(outgoing, 'drain'), answer])
    },
    end() {
      outgoing.end()
      return answer
    },
    breakOff: () => outgoing.destroy(),
  }
}

/** Reads a file's content without keeping it: how many bytes it has, and their SHA-256. `onChunk` is told of each. */
export async function digestOf(
  server: Served,
  id: string,
  onChunk = () => {},
): Promise<{ bytes: number; sha256: string }> {
  const headers = { authorization: `Bearer ${server.key}` }
  const outgoing = request(`${server.url}/v1/files/${id}/content`, { headers, agent: false }).end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  assert.equal(incoming.statusCode, 200)
  const hash: Hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    hash.update(chunk)
    onChunk()
  }
  return { bytes, sha256: hash.digest('hex') }
}
