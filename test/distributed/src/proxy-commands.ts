/** Stands before a server of MongoDB's protocol, passes everything on, and reads what clients ask of it. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'

export interface CommandProxy extends AsyncDisposable {
  /** `127.0.0.1:<port>`: what is sent there goes on to the server. */
  readonly address: string
}

/** `server` is `host:port`; `hear` is called with each command, before the server has it or after. */
export async function proxyCommands(server: string, hear: (command: Document) => void): Promise<CommandProxy> {
  const [host, port] = server.split(':') as [string, string]
  const sockets = new Set<Socket>()
  const proxy = createServer(client => {
    const onward = connect(Number(port), host)
    const messages = messageReader(hear)
    client.on('data', messages)
    client.pipe(onward).pipe(client)
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.once('close', () => sockets.delete(socket))
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await once(proxy, 'close')
    },
  }
}

/** `OP_MSG`, the one message that drivers of today send after their greeting. */
const OP_MSG = 2013
const HEADER_BYTES = 16
const FLAG_BYTES = 4

/** Reads the stream of messages in whatever chunks it comes, and calls `hear` with each command. */
function messageReader(hear: (command: Document) => void): (chunk: Buffer) => void {
  let held: Buffer[] = []
  let length = 0
  return chunk => {
    held.push(chunk)
    length += chunk.length
    while (length >= HEADER_BYTES) {
      const first = held[0] as Buffer
      const all = first.length >= HEADER_BYTES ? first : Buffer.concat(held)
      const size = all.readInt32LE(0)
      if (length < size) return
      const whole = held.length === 1 ? first : Buffer.concat(held)
      if (whole.readInt32LE(12) === OP_MSG) hear(commandOf(whole.subarray(HEADER_BYTES + FLAG_BYTES, size)))
      held = length > size ? [whole.subarray(size)] : []
      length -= size
    }
  }
}

/** The body and the sequences beside it as one document: the wire protocol's sections of kind 0 and 1. */
function commandOf(sections: Buffer): Document {
  const command: Document = {}
  for (let at = 0; at + 5 <= sections.length; ) {
    const isSequence = sections[at] === 1
    const size = sections.readInt32LE(at + 1)
    const section = sections.subarray(at + 1, at + 1 + size)
    if (isSequence) {
      const end = section.indexOf(0, 4)
      const documents: Document[] = []
      for (let next = end + 1; next < section.length; next += section.readInt32LE(next)) {
        documents.push(BSON.deserialize(section.subarray(next, next + section.readInt32LE(next))))
      }
      command[section.toString('utf8', 4, end)] = documents
    } else {
      Object.assign(command, BSON.deserialize(section))
    }
    at += 1 + size
  }
  return command
}
