/** The processing that a manifest names. */
import type { LoadMessage } from '../protocol.ts'
import type { Processor } from './processor.ts'

/** Loads the model's files. Rejects when they are broken. Only the processing that is used is imported. */
export async function openProcessor(message: LoadMessage): Promise<Processor> {
  switch (message.processing.kind) {
    case 'single':
      return (await import('./single.ts')).openSingle(message, message.processing)
    case 'ocr':
      return (await import('./ocr/ocr.ts')).openOcr(message)
    case 'speech':
      return (await import('./speech/speech.ts')).openSpeech(message)
  }
}
