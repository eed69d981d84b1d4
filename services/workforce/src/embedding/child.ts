/** The process that an embedding model lives in. It holds no secret, and can be killed. */
import { endIfOutOfMemory, openChannel, startWatchdog } from '@millhand/worker/child'
import { type LoadedModel, loadModel } from './loaded-model.ts'
import type { EmbedMessage, FromChild, LoadMessage, ToChild } from './protocol.ts'

startWatchdog()
const say = openChannel<ToChild, FromChild>(hear)

let model: LoadedModel | undefined
let stopping = new AbortController()

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message)
      break
    case 'embed':
      stopping = new AbortController()
      void embed(message)
      break
    case 'stop':
      stopping.abort()
  }
}

async function load(message: LoadMessage): Promise<void> {
  try {
    model = await loadModel(message)
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: String((error as Error).message).slice(0, 500) })
  }
}

async function embed({ texts }: EmbedMessage): Promise<void> {
  try {
    const vectors = await (model as LoadedModel).embed(texts, stopping.signal)
    if (vectors === undefined) return say({ kind: 'failed' })
    const bytes = vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
    say({ kind: 'embedded', count: vectors.length }, [Buffer.concat(bytes)])
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'failed' })
  }
}
