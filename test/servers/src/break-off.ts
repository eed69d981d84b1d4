import type { Socket } from 'node:net'

/**
 * Ends a connection by a reset where that can be. One that has begun to end by itself can't be reset: libuv refuses
 * (EINVAL), and Node then never closes the socket, and its process never ends.
 */
export function breakOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
