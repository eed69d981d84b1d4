/** The process that a model is trained in. It reads everything that is hostile, holds no secret, and can be killed. */
import { endIfOutOfMemory, lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { excerpt } from '@millhand/model'
import type { FailedMessage, LoadMessage, Said, ToChild, TrainMessage } from './protocol.ts'

startWatchdog()

const say = openChannel<ToChild, Said>(hear)
lockDown()
/** Trains what was loaded. */
let begin: ((message: TrainMessage) => Promise<void>) | undefined
let goOn: () => void = () => {}

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void prepare(message)
      break
    case 'train':
      void begin?.(message)
      break
    case 'go_on':
      goOn()
  }
}

async function prepare(message: LoadMessage): Promise<void> {
  try {
    const { load, train, faultOf } = await import('./train.ts')
    const loaded = await load(message)
    begin = async task => {
      try {
        const { model, card } = await train(loaded, task, { now: () => performance.now(), say: ask })
        say({ kind: 'done', card: { ...card } }, [model])
      } catch (error) {
        say(failed(error, faultOf(error)))
      }
    }
    lockLoaded()
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: messageOf(error) })
  }
}

/** Says something, and resolves once the parent says to go on. */
async function ask(said: Said, parts?: readonly Uint8Array[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  goOn = resolve
  say(said, parts)
  await promise
}

function failed(error: unknown, code: FailedMessage['code'] | undefined): FailedMessage {
  const message = messageOf(error)
  // It may quote the caller.
  if (code !== undefined) return { kind: 'failed', code, message }
  endIfOutOfMemory(error)
  return { kind: 'failed', code: 'model_failed', message: `the training failed: ${message}` }
}

const messageOf = (error: unknown): string =>
  excerpt(error instanceof Error ? error.message.trim() : String(error), MOST_MESSAGE)

const MOST_MESSAGE = 1_000
