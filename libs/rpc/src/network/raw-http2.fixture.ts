/** A client and a server of HTTP/2 that keep none of its rules: frames as they are told (RFC 9113, section 4.1). */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export const frameType = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goAway: 7 } as const
export const flag = { ack: 1, endStream: 1, endHeaders: 4 } as const

interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export interface RawHttp2 {
  send(...frames: (Pick<Frame, 'type'> & Partial<Frame>)[]): void
  /** The first frame, of all that came and will come, that is as told. */
  received(is: (frame: Frame) => boolean): Promise<Frame>
  /** Resolves when the peer has ended the connection. */
  readonly closed: Promise<unknown>
  destroy(): void
}

/** Connects, and agrees to the server's settings. */
export async function openRawHttp2(url: string): Promise<RawHttp2> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const raw = rawOn(socket)
  await once(socket, 'connect')
  socket.write(PREFACE)
  await agree(raw)
  return raw
}

/** Listens on 127.0.0.1; `talk` is called with each connection, once it has agreed to the client's settings. */
export async function serveRawHttp2(talk: (raw: RawHttp2) => unknown): Promise<{ url: string; close(): void }> {
  const open = new Set<RawHttp2>()
  const server = createServer({ noDelay: true }, socket => {
    const raw = rawOn(socket, PREFACE.length)
    open.add(raw)
    void agree(raw).then(() => talk(raw))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    for (const raw of open) raw.destroy()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

async function agree(raw: RawHttp2): Promise<void> {
  raw.send({ type: frameType.settings })
  await raw.received(({ type, flags }) => type === frameType.settings && flags === 0)
  raw.send({ type: frameType.settings, flags: flag.ack })
}

/** `skipped` bytes come before the first frame. */
function rawOn(socket: Socket, skipped = 0): RawHttp2 {
  const frames: Frame[] = []
  let onFrames = Promise.withResolvers<void>()
  let rest = Buffer.alloc(0)
  let toSkip = skipped
  socket.on('error', () => {}) // A reset is one way to be thrown out.
  socket.on('data', data => {
    rest = Buffer.concat([rest, data])
    const skip = Math.min(toSkip, rest.length)
    toSkip -= skip
    rest = rest.subarray(skip)
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3)
      const [type, flags] = [rest.readUInt8(3), rest.readUInt8(4)]
      frames.push({ type, flags, stream: rest.readUInt32BE(5), payload: rest.subarray(HEAD_BYTES, end) })
      rest = rest.subarray(end)
    }
    onFrames.resolve()
    onFrames = Promise.withResolvers()
  })
  return {
    send: (...all) => socket.write(Buffer.concat(all.map(encoded))),
    async received(is) {
      for (;;) {
        const found = frames.find(is)
        if (found !== undefined) return found
        await onFrames.promise
      }
    },
    closed: new Promise(resolve => socket.once('close', resolve)),
    destroy: () => socket.destroy(),
  }
}

/** Header lines as literals that are not indexed (RFC 7541, section 6.2.2). */
export function headerBlock(lines: Record<string, string>): Buffer {
  return Buffer.concat(
    Object.entries(lines).flatMap(([name, value]) => [Buffer.of(0), textBytes(name), textBytes(value)]),
  )
}

const HEAD_BYTES = 9

function encoded({ type, flags = 0, stream = 0, payload = Buffer.alloc(0) }: Pick<Frame, 'type'> & Partial<Frame>) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A length with a prefix of 7 bits (RFC 7541, section 5.1), and the text. */
function textBytes(text: string): Buffer {
  const length: number[] = []
  let rest = text.length
  if (rest < 127) length.push(rest)
  else {
    length.push(127)
    for (rest -= 127; rest >= 128; rest = rest >> 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(text)])
}
