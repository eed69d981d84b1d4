/** What a hostile tenant does within its plan: each attack is one round of requests, and gives the statuses of the answers. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { send } from '@millhand/test-e2e/http'
import { hold } from './held-connections.ts'

/** Where the hostile tenant sends, and with which keys. */
export interface Target {
  readonly url: string
  readonly liveKey: string
  readonly testKey: string
  /** A task of the test key that runs for minutes. */
  readonly slowTask: string
}

/** One round; the statuses that were answered. 0 stands for a connection that ended without an answer. */
export type Attack = (target: Target, round: number) => Promise<number[]>

/** The attack that begins once each of the others has had a round. */
export const LISTS = 'lists by filters that match nothing'

export const attacks: Readonly<Record<string, Attack>> = {
  'bodies of 1 MiB with many faults': (target, round) =>
    several(2, at => post(target, ...(faulty[(round * 2 + at) % faulty.length] as Body))),

  'pipelined waits, never read': ({ url, testKey, slowTask }) => {
    const wait = head('GET', `/v1/tasks/${slowTask}`, testKey, ['Prefer: wait=60'])
    return hold({ url, connections: 300, bytes: Buffer.from(wait.repeat(200)), holdMs: HOLD_MS })
  },

  'event streams, never read': ({ url, testKey, slowTask }) => {
    const bytes = Buffer.from(head('GET', `/v1/tasks/${slowTask}/events`, testKey, []))
    return hold({ url, connections: 300, bytes, holdMs: HOLD_MS })
  },

  'bodies without their end': ({ url, liveKey }) => {
    const start = head('POST', '/v1/tasks', liveKey, ['Content-Type: application/json', `Content-Length: ${MIB}`])
    return hold({ url, connections: 200, bytes: Buffer.from(start + '{'.repeat(990_000)), holdMs: HOLD_MS })
  },

  'heads without their end': ({ url }) =>
    hold({ url, connections: 300, bytes: Buffer.from('GET /v1/tasks HTTP/1.1\r\nX: '), holdMs: HOLD_MS }),

  'reviews of nested regular expressions': target =>
    several(4, () => {
      const text = `const r=/${'(a|'.repeat(300)}b${')*'.repeat(300)}/;\nconst s=/(?:a+)+${'(?:x?)'.repeat(200)}$/`
      const input = { files: [{ path: 'a.js', text }] }
      return post(target, '/v1/workforce/alex/tasks', { task: 'code_review', topic: 'x', timeout_s: 3_600, input })
    }),

  'pictures of one by 40 million': target =>
    several(2, () => post(target, '/v1/tasks', { type: 'inference', model: 'pp-ocr-v4', input: tallPicture() })),

  'many keys, webhooks and small files': target =>
    several(30, at => {
      if (at % 3 === 0) return post(target, '/v1/api_keys', { name: `key ${at}`, scopes: ['tasks:read'] })
      if (at % 3 === 1)
        return post(target, '/v1/webhooks', { url: `https://8.8.8.8/${at}`, events: ['task.succeeded'] })
      return postFile(target, Buffer.from(`file ${at}`))
    }),

  'large bodies sent again by one idempotency key': target =>
    several(4, () => {
      const json = { ...review, input: { texts: ['word '.repeat(90_000)] } }
      return call(target, 'POST', '/v1/workforce/emma/tasks', { json, headers: { 'idempotency-key': 'the same' } })
    }),

  'uploads of 16 MiB': target => several(2, () => postFile(target, Buffer.alloc(16 * MIB, 'u'))),

  // Last, and then slowly: it uses up what the plan lets pass, and the others need that.
  [LISTS]: async (target, round) => {
    if (round > 0) await pause(HOLD_MS)
    return several(round === 0 ? 3 * MOST_A_MINUTE : 5, at => {
      const filters = `status=failed&type=inference&metadata[a]=${at}&metadata[b]=${'x'.repeat(200)}&order=asc&limit=100`
      return call(target, 'GET', `/v1/tasks?${filters}&created_after=2020-01-01T00:00:00Z`)
    })
  },
}

/** Requests of a family that the free plans let pass in any 60 seconds, with live keys and as many with test keys. */
export const MOST_A_MINUTE = 100

const MIB = 1 << 20
const HOLD_MS = 3_000
const CALL_MS = 60_000

type Body = readonly [path: string, json: unknown]

const list = (count: number, item: (at: number) => unknown) => Array.from({ length: count }, (_, at) => item(at))
const entries = (count: number, value: unknown) =>
  Object.fromEntries(list(count, at => [at.toString(16), value]) as [string, unknown][])
const inference = { type: 'inference', model: 'digits', input: '[]' }
const review = { task: 'sentiment_analysis', topic: 'x', input: { texts: ['x'] } }

/** Each within 1 MiB. */
const faulty: readonly Body[] = [
  ['/v1/tasks', { ...inference, metadata: entries(90_000, '') }],
  ['/v1/tasks', { ...inference, metadata: entries(90_000, 1) }],
  ['/v1/tasks', { ...inference, ...entries(95_000, 1) }],
  ['/v1/tasks', { ...inference, parameters: { a: list(330_000, () => []) } }],
  ['/v1/api_keys', { name: 'x', scopes: list(240_000, () => 'q') }],
  ['/v1/webhooks', { url: 'https://8.8.8.8/', events: list(110_000, at => at.toString(16)) }],
  ['/v1/workforce/emma/tasks', { ...review, input: { texts: list(450_000, () => 1) } }],
  ['/v1/workforce/emma/tasks', { ...review, input: entries(95_000, 1) }],
  ['/v1/workforce/emma/tasks', { ...review, files: list(240_000, () => 'q') }],
  ['/v1/workforce/emma/tasks', { ...review, constraints: { must_include: list(330_000, () => ({})) } }],
  ['/v1/workforce/alex/tasks', { task: 'write_code', topic: 'x', input: { files: list(330_000, () => ({})) } }],
  ['/v1/workforce/david/tasks', { task: 'analyze_data', topic: 'x', input: { data: list(330_000, () => []) } }],
]

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

const several = (count: number, one: (at: number) => Promise<number>): Promise<number[]> =>
  Promise.all(list(count, at => one(at as number)) as Promise<number>[])

const post = (target: Target, path: string, json: unknown): Promise<number> => call(target, 'POST', path, { json })

const postFile = (target: Target, raw: Uint8Array): Promise<number> =>
  call(target, 'POST', '/v1/files?filename=a.bin', { raw, headers: { 'content-type': 'application/octet-stream' } })

/** With the live key and the test key in turn: each has the plan's window for itself. */
async function call(
  { url, liveKey, testKey }: Target,
  method: string,
  path: string,
  options: Parameters<typeof send>[2] = {},
): Promise<number> {
  const key = turn++ % 2 === 0 ? liveKey : testKey
  const headers = { authorization: `Bearer ${key}`, ...options.headers }
  try {
    const { status } = await send(method, url + path, {
      ...options,
      headers,
      agent,
      signal: AbortSignal.timeout(CALL_MS),
    })
    return status
  } catch {
    await pause(20) // A server that refuses connections is not asked in a busy loop.
    return 0
  }
}

let turn = 0

const head = (method: string, path: string, key: string, headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: millhand', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n')

let picture: string | undefined

/** A PNG of 1 × 40,000,000 grey pixels, as a data URI of less than 1 MiB. */
function tallPicture(): string {
  if (picture === undefined) {
    const size = Buffer.alloc(13)
    size.writeUInt32BE(1, 0)
    size.writeUInt32BE(40_000_000, 4)
    size.writeUInt8(1, 8) // One bit a pixel; grey; no interlace.
    const parts = [
      chunk('IHDR', size),
      chunk('IDAT', deflateSync(Buffer.alloc(80_000_000), { level: 9 })),
      chunk('IEND', Buffer.alloc(0)),
    ]
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
    picture = `data:image/png;base64,${png.toString('base64')}`
  }
  return picture
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
