/** Sends the messages of one streaming call. */
import { create, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import type { SendQueue } from './send-queue.ts'
import type { SendWindow } from './window.ts'

/**
 * Sends what `source` gives, and asks it for no more than the reader and the tunnel have room for. Resolves when the
 * source ends or the window is closed; rejects as the source does.
 */
export async function pump(
  source: AsyncIterator<unknown>,
  desc: DescMessage,
  window: SendWindow,
  sendQueue: SendQueue,
  send: (message: Uint8Array) => void,
): Promise<void> {
  for (;;) {
    await window.opened()
    await sendQueue.room()
    if (window.closed) return
    const next = await source.next()
    if (window.closed || next.done) return
    const message = toBinary(desc, create(desc, next.value as Message))
    window.spend(message)
    send(message)
  }
}
