/** The process that a local language model lives in. It holds no secret, and can be killed. */
import { endIfOutOfMemory, openChannel, startWatchdog } from '@millhand/worker/child'
import { type AskedModel, loadModel, TooLong } from './asked-model.ts'
import type { AskMessage, FromChild, LoadMessage, ToChild } from './protocol.ts'

startWatchdog()
const say = openChannel<ToChild, FromChild>(hear)

let model: AskedModel | undefined
let stopping = new AbortController()

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message)
      break
    case 'ask':
      stopping = new AbortController()
      void ask(message)
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

async function ask(message: AskMessage): Promise<void> {
  try {
    const { text, ...account } = await (model as AskedModel).ask(message, stopping.signal)
    say({ kind: 'answered', ...account }, [text])
  } catch (error) {
    endIfOutOfMemory(error)
    say(error instanceof TooLong ? { kind: 'too_long', tokens: error.tokens, most: error.most } : { kind: 'failed' })
  }
}
