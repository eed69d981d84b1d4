/** The process that a local language model lives in. It holds no secret, and can be killed. */
import { endIfOutOfMemory, lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { type LoadedModel, loadModel, type OnPiece, TemplateRefused, TooLong } from './loaded-model.ts'
import { type FromChild, type Load, MOST_MESSAGE, MOST_UNTAKEN, type ToChild } from './protocol.ts'

interface Asked {
  readonly stopping: AbortController
  /** Pieces on their way. */
  untaken: number
  /** Ends the wait for room. */
  onTaken: () => void
}

startWatchdog()
const say = openChannel<ToChild, FromChild>(hear)
const asked = new Map<number, Asked>()
let model: LoadedModel

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message.load)
      break
    case 'ask':
      void answer(message)
      break
    case 'stop': {
      const stopped = asked.get(message.id)
      stopped?.stopping.abort()
      stopped?.onTaken()
      break
    }
    case 'taken': {
      const taken = asked.get(message.id)
      if (taken) taken.untaken--
      taken?.onTaken()
    }
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
    say({ kind: 'refused', message: String((error as Error).message).slice(0, MOST_MESSAGE) })
  }
}

async function answer({ id, context, question, streams }: Extract<ToChild, { kind: 'ask' }>): Promise<void> {
  const own: Asked = { stopping: new AbortController(), untaken: 0, onTaken: () => {} }
  asked.set(id, own)
  const { signal } = own.stopping
  const onPiece: OnPiece = async (piece, counts) => {
    if (!streams) return
    while (own.untaken === MOST_UNTAKEN && !signal.aborted) {
      await new Promise<void>(resolve => {
        own.onTaken = resolve
      })
    }
    if (signal.aborted) return
    own.untaken++
    say({ kind: 'piece', id, ...counts }, [piece])
  }
  try {
    const { text, ...account } = await model.ask(context, question, signal, onPiece)
    say({ kind: 'answered', id, ...account }, [text])
  } catch (error) {
    if (error instanceof TooLong) return say({ kind: 'too_long', id, tokens: error.tokens, most: error.most })
    if (error instanceof TemplateRefused)
      return say({ kind: 'template_refused', id, message: error.message.slice(0, MOST_MESSAGE) })
    endIfOutOfMemory(error)
    say({ kind: 'failed', id })
  } finally {
    asked.delete(id)
  }
}
