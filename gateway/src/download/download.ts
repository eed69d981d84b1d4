/** Downloads: the stream of a method as bytes, whole or a range (RFC 9110, section 14). */
import type { ContextValues, Transport } from '@connectrpc/connect'
import { codeOf, fail, type RouteOf, rangeFields } from '@millhand/api'
import { isHeld, isMatched } from '../etag.ts'
import { CallerGone, type Exchange } from '../exchange.ts'
import { callValues } from '../pipeline/call.ts'
import type { Responder } from '../pipeline/context.ts'
import { requestReader } from '../transcode/request-reader.ts'
import { type Content, contentOpener } from './content.ts'
import { contentHeaders, contentTag, describingHeaders } from './headers.ts'
import { type ByteRange, parseRange } from './range-header.ts'

export interface DownloadDeps {
  readonly transport: Transport
}

export function downloadResponder(route: RouteOf<'download'>, { transport }: DownloadDeps): Responder {
  const read = requestReader(route, rangeFields)
  const open = contentOpener(route, transport)

  /** What the request asks for; `isUnsatisfiable` where that begins behind the end, and then it is the whole content. */
  async function choose(exchange: Exchange, request: Fields, values: ContextValues): Promise<Choice> {
    const range = exchange.req.method === 'GET' ? parseRange(exchange.header('range')) : undefined
    if (range === undefined) return { content: await open(request, values) }
    const ifRange = exchange.header('if-range')
    const part = await openPart({ ...request, ...range }, values)
    if (part !== undefined && (ifRange === undefined || ifRange === contentTag(part.slice.file))) {
      return { content: part, range }
    }
    part?.close()
    const content = await open(request, values)
    const isMeant = ifRange === undefined || ifRange === contentTag(content.slice.file)
    return { content, isUnsatisfiable: part === undefined && isMeant }
  }

  /** Undefined where the range begins behind the end. */
  const openPart = (request: Fields, values: ContextValues) =>
    open(request, values).catch(error => {
      if (codeOf(error) === 'range_not_satisfiable') return undefined
      throw error
    })

  return async ({ exchange, caller, params, pairs }) => {
    const { content, range, isUnsatisfiable } = await choose(
      exchange,
      { ...read.fromQuery(params, pairs) },
      callValues(caller, exchange),
    )
    const leave = () => content.close(new CallerGone('the caller left while its download came'))
    exchange.res.once('close', leave)
    try {
      if (exchange.res.destroyed) throw new CallerGone('the caller left before its download came')
      await answer(exchange, content, range, isUnsatisfiable)
    } finally {
      exchange.res.off('close', leave)
      content.close()
    }
  }
}

type Fields = Record<string, unknown>

interface Choice {
  readonly content: Content
  readonly range?: ByteRange
  readonly isUnsatisfiable?: boolean
}

async function answer(exchange: Exchange, content: Content, range?: ByteRange, isUnsatisfiable = false) {
  const { file, start, length } = content.slice
  const headers = contentHeaders(file)
  if (!isMatched(contentTag(file), exchange.header('if-match'))) {
    throw fail(
      'precondition_failed',
      `\`If-Match\` does not name the current content, whose \`ETag\` is ${contentTag(file)}: send that one, or leave the header out.`,
    )
  }
  if (isHeld(contentTag(file), exchange.header('if-none-match'))) return exchange.send(304, headers)
  if (isUnsatisfiable) {
    const detail = `The content has ${file.bytes.toLocaleString('en')} bytes.`
    throw fail('range_not_satisfiable', detail, { metadata: { size: String(file.bytes) } })
  }
  headers.push(...describingHeaders(file), 'Content-Length', String(length))
  if (exchange.req.method === 'HEAD') return exchange.send(200, headers)
  // The end of an empty content has no `Content-Range`: it is the whole.
  const isPart = range !== undefined && length > 0
  if (isPart) headers.push('Content-Range', `bytes ${start}-${start + length - 1}/${file.bytes}`)
  exchange.begin(isPart ? 206 : 200, headers)
  await sendBytes(exchange, content.bytes, length)
}

/**
 * Sends `length` bytes as the body of an answer that was begun, and takes the next when the caller has taken those
 * before. Fails with `CallerGone`, also when the caller takes nothing in the time that it has, and as `bytes` does; also
 * where there are more or fewer.
 */
async function sendBytes(exchange: Exchange, bytes: AsyncIterable<Uint8Array>, length: number): Promise<void> {
  let left = length
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) break
    if (exchange.res.destroyed) throw callerGone()
    if (!exchange.res.write(chunk)) await taken(exchange)
  }
  if (left !== 0) throw new Error(`a content differs from its length by ${-left} bytes`)
  exchange.finish()
}

function taken({ res, timeouts }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => res.destroy(), timeouts.readerMs)
    const settle = () => {
      clearTimeout(timer)
      res.off('drain', settle).off('close', settle)
      if (res.destroyed) reject(callerGone())
      else resolve()
    }
    res.on('drain', settle).on('close', settle)
  })
}

const callerGone = () => new CallerGone('the caller left, or takes nothing')
