import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * What happens to a write and its connection: the server makes it and the connection is cut before its answer; the
 * connection is cut before the server has it; or that, and the server gets it later all the same.
 */
type Fate = 'answer lost' | 'request lost' | 'request late'

export interface SeveringProxy {
  readonly port: number
  /**
   * The fate of the next write command, and what happens before the client can ask what became of it. The returned
   * call lets a late request go on, and resolves when the server has answered it.
   */
  next(fate: Fate, meanwhile?: () => Promise<void>): () => Promise<void>
  /** Whether new connections are refused. */
  refuse(refused: boolean): void
  close(): Promise<void>
}

const WRITES = ['insert\0', 'update\0']

/** Stands before a MongoDB server at a port of this machine; for tests. */
export async function startProxy(to: number): Promise<SeveringProxy> {
  let plan: { fate: Fate; meanwhile: () => Promise<void>; late: PromiseWithResolvers<() => Promise<void>> } | undefined
  let refused = false
  let busy: Promise<void> = Promise.resolve()
  const sockets = new Set<Socket>()

  const server = createServer(async client => {
    sockets.add(client)
    client.on('error', () => {})
    if (refused) return void client.destroy()
    await busy
    const upstream = connect(to, '127.0.0.1')
    sockets.add(upstream)
    upstream.on('error', () => {})
    upstream.on('close', () => client.destroy())
    client.on('data', chunk => {
      if (plan && WRITES.some(command => chunk.includes(command))) meet(plan, chunk)
      else upstream.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('data', chunk => client.write(chunk))

    function meet({ fate, meanwhile, late }: NonNullable<typeof plan>, chunk: Buffer): void {
      plan = undefined
      client.removeAllListeners('close')
      upstream.removeAllListeners('data')
      const answered = once(upstream, 'data')
      const cut = async () => {
        await meanwhile()
        for (const socket of [client, fate === 'request late' ? client : upstream]) socket.destroy()
      }
      if (fate === 'answer lost') upstream.write(chunk)
      busy = (fate === 'answer lost' ? answered : Promise.resolve()).then(cut)
      late.resolve(async () => {
        if (fate !== 'request late') return
        upstream.write(chunk)
        await answered
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    next(fate, meanwhile = async () => {}) {
      const late = Promise.withResolvers<() => Promise<void>>()
      plan = { fate, meanwhile, late }
      return async () => (await late.promise)()
    },
    refuse(value) {
      refused = value
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
