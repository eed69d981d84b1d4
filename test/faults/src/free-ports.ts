import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports that nobody listens on, below those that the kernel hands out: none is taken while its process is away. Nor by
 * the test servers of other suites, which take theirs from 20,000 on.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = 10_000 + Math.floor(Math.random() * 10_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    ports.add(port)
  }
  return [...ports]
}
