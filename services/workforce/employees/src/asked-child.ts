/** The process that a model lives in, which `startAsked` starts. It holds no secret, and can be killed. */
import {
  endIfOutOfMemory,
  lockDown,
  lockLoaded,
  openChannel,
  type SendMessage,
  startWatchdog,
} from '@millhand/child-process/child'

/** What it hears. `stop` ends what is being answered. */
export type ToAsked<Load, Question> =
  | { readonly kind: 'load'; readonly load: Load }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'stop' }

/** What it says before its answers. */
export type Loaded = { readonly kind: 'loaded' } | { readonly kind: 'refused'; readonly message: string }

interface AskedModel<Load, Question, Model, Answer extends object> {
  /** Throws what says why it can't be loaded: the parent is told. */
  load(load: Load): Promise<Model>
  /** What is said, and what goes beside it. It ends early once the signal fires. */
  answer(model: Model, question: Question, signal: AbortSignal): Promise<Parameters<SendMessage<Answer>>>
  /** What is said in the place of an answer that was not to be had. */
  failed(error: unknown): Answer
}

/** Loads and answers as the parent says, until that is gone. To be called once. */
export function answerParent<Load, Question, Model, Answer extends object>(
  asked: AskedModel<Load, Question, Model, Answer>,
): void {
  startWatchdog()
  const say = openChannel<ToAsked<Load, Question>, Loaded | Answer>(hear)
  let model: Model
  let stopping = new AbortController()

  function hear(message: ToAsked<Load, Question>): void {
    switch (message.kind) {
      case 'load':
        void load(message.load)
        break
      case 'ask':
        stopping = new AbortController()
        void answer(message.question)
        break
      case 'stop':
        stopping.abort()
    }
  }

  async function load(from: Load): Promise<void> {
    try {
      model = await asked.load(from)
      lockDown() // What it has read until now is the operator's.
      lockLoaded()
      say({ kind: 'loaded' })
    } catch (error) {
      endIfOutOfMemory(error)
      say({ kind: 'refused', message: String((error as Error).message).slice(0, 500) })
    }
  }

  async function answer(question: Question): Promise<void> {
    try {
      say(...(await asked.answer(model, question, stopping.signal)))
    } catch (error) {
      endIfOutOfMemory(error)
      say(asked.failed(error))
    }
  }
}
