/** A DNS server for one test, which answers as it is told: over UDP, and over TCP what was too long for that. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { type Answer, decode, encode, type Packet, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet'

export interface Question {
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'NS'
  /** How often this name and type were asked for before. */
  readonly before: number
  readonly over: 'udp' | 'tcp'
}

/** `silent` sends nothing. */
export type Reply = 'silent' | { answers?: Answer[]; rcode?: keyof typeof rcodes; truncated?: boolean }

/** RFC 1035, section 4.1.1. */
const rcodes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

export interface DnsServer {
  /** As a resolver takes it. */
  readonly address: string
  readonly asked: readonly Question[]
}

/** Knows the root, if nothing else is told of it: whoever asks finds that it works. */
export async function dnsServer(t: TestContext, reply: (question: Question) => Reply): Promise<DnsServer> {
  const asked: Question[] = []
  const answer = (query: Packet, over: 'udp' | 'tcp'): Buffer | undefined => {
    const [first] = query.questions ?? []
    const { name = '', type = '' } = first ?? {}
    const before = asked.filter(question => question.name === name && question.type === type).length
    const question = { name, type, before, over } as Question
    asked.push(question)
    const told = reply(question)
    if (told === 'silent') return undefined
    const { answers = [], rcode, truncated = false } = told
    const flags = RECURSION_AVAILABLE | (truncated ? TRUNCATED_RESPONSE : 0) | (rcode === undefined ? 0 : rcodes[rcode])
    return encode({ type: 'response', id: query.id ?? 0, flags, questions: query.questions ?? [], answers })
  }

  const sockets = new Set<Socket>()
  const tcp = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    let unread = Buffer.alloc(0)
    socket.on('data', data => {
      unread = Buffer.concat([unread, data])
      while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE(0)) {
        const end = 2 + unread.readUInt16BE(0)
        const told = answer(decode(unread.subarray(2, end)), 'tcp')
        unread = unread.subarray(end)
        if (told === undefined) continue
        const length = Buffer.alloc(2)
        length.writeUInt16BE(told.length)
        socket.write(Buffer.concat([length, told]))
      }
    })
  })
  const udp = createSocket('udp4')
  udp.on('message', (data, { port, address }) => {
    const told = answer(decode(data), 'udp')
    if (told !== undefined) udp.send(told, port, address)
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as { port: number }
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  t.after(() => {
    udp.close()
    tcp.close()
    for (const socket of sockets) socket.destroy()
  })
  return { address: `127.0.0.1:${port}`, asked }
}

/** Addresses of a name, by their own family; nothing of the other. */
export function addresses({ name, type }: Question, list: readonly string[], ttl = 60): { answers: Answer[] } {
  const ofType = list.filter(address => address.includes(':') === (type === 'AAAA'))
  return { answers: ofType.map(data => ({ name, type: type as 'A' | 'AAAA', ttl, data })) }
}
