/** The process that an embedding model lives in. It holds no secret, and can be killed. */
import { endIfOutOfMemory, lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { type LoadedModel, loadModel } from './loaded-model.ts'
import type { FromChild, Load, Question, ToChild } from './protocol.ts'

startWatchdog()
const say = openChannel<ToChild, FromChild>(hear)
let model: LoadedModel
let stopping = new AbortController()

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message.load)
      break
    case 'ask':
      stopping = new AbortController()
      void answer(message.question, stopping.signal)
      break
    case 'stop':
      stopping.abort()
  }
}

async function load(from: Load): Promise<void> {
  try {
    model = await loadModel(from)
    lockDown() // What it has read until now is the operator's.
    lockLoaded()
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: String((error as Error).message).slice(0, 500) })
  }
}

async function answer({ texts }: Question, signal: AbortSignal): Promise<void> {
  try {
    const vectors = await model.embed(texts, signal)
    if (vectors === undefined) return say({ kind: 'failed' })
    const bytes = vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
    say({ kind: 'embedded', count: vectors.length }, [Buffer.concat(bytes)])
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'failed' })
  }
}
