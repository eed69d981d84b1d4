import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that the kernel hands out, so that none is taken while its process is away. */
const FIRST = 10_000
const BLOCK = 100
const BLOCKS = 220

const mine: number[] = []

/**
 * A port that nobody listens on, and that no other process is given by this function: suites run side by side, and
 * start their servers long after they asked.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    if (mine.length === 0) mine.push(...(await claimBlock()))
    const port = mine.shift() as number
    const server = await listening(port)
    if (!server) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Whoever listens on a block's first port has the others, as long as it lives: the kernel ends the claim with us. */
async function claimBlock(): Promise<number[]> {
  for (;;) {
    const first = FIRST + BLOCK * Math.floor(Math.random() * BLOCKS)
    const claim = await listening(first)
    if (!claim) continue
    claim.unref()
    return Array.from({ length: BLOCK - 1 }, (_, at) => first + 1 + at)
  }
}

/** Undefined where the port is taken. */
function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return new Promise((resolve, reject) => {
    server.once('listening', () => resolve(server))
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
  })
}
