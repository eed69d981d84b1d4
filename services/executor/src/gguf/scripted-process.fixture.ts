/** Stands for the process of a model: it says the words of what it is asked, one a turn of the event loop. */
import { RunnerGone } from '@millhand/child-process'
import type { GgufProcess, startGguf } from '@millhand/gguf'

export interface ScriptedProcess extends GgufProcess {
  /** How many questions it is at. */
  readonly asked: () => number
  /** It ends by itself. */
  crash(): void
}

/** What it is asked goes on for ever where it begins `for ever`; `too long` is too long, and its template refuses `refused`. */
export function scriptedProcesses() {
  const started: ScriptedProcess[] = []
  const start: typeof startGguf = async () => {
    const one = scriptedProcess()
    started.push(one)
    return one
  }
  return { start, started }
}

function scriptedProcess(): ScriptedProcess {
  const { promise: gone, resolve } = Promise.withResolvers<RunnerGone>()
  let ended: RunnerGone | undefined
  let asked = 0
  const end = (why: RunnerGone) => {
    ended ??= why
    resolve(ended)
  }

  return {
    gone,
    asked: () => asked,
    crash: () => end(new RunnerGone('crashed', 'the process ended by itself')),
    memoryBytes: () => (ended ? 0 : 1_000),
    kill: async () => end(new RunnerGone('killed', 'the run was stopped')),
    async ask({ messages, maxOutputTokens, stop }, { signal, onPiece } = {}) {
      const content = messages.at(-1)?.content ?? ''
      const inputTokens = content.length
      if (content === 'too long') return { kind: 'too_long', id: 1, tokens: 9_000, most: 4_032 }
      if (content === 'refused')
        return { kind: 'template_refused', id: 1, message: 'Conversation roles must alternate' }
      asked++
      try {
        const words = content.startsWith('for ever') ? undefined : content.split(' ')
        let text = ''
        for (let outputTokens = 0; ; outputTokens++) {
          await new Promise(again => setImmediate(again))
          if (ended) throw ended
          const account = { id: 1, inputTokens, knownTokens: 0, outputTokens, text }
          if (signal?.aborted) return { kind: 'answered', ...account, end: 'stopped' }
          const word = words === undefined ? 'and' : words[outputTokens]
          if (word === undefined || stop.includes(word)) return { kind: 'answered', ...account, end: 'stop' }
          if (outputTokens === maxOutputTokens) return { kind: 'answered', ...account, end: 'length' }
          const piece = outputTokens === 0 ? word : ` ${word}`
          text += piece
          await onPiece?.(piece, { inputTokens, outputTokens: outputTokens + 1 })
        }
      } finally {
        asked--
      }
    },
  }
}
