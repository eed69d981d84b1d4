import { qualities, qualityOf } from '../accept.ts'

/** Whether an `Accept` header would rather have events than JSON: it names them, with a higher quality than JSON's. */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined || !eventStream.test(accept)) return false
  const asked = qualities(accept)
  return (asked.get('text/event-stream') ?? 0) > qualityOf('application/json', asked)
}

const eventStream = /\btext\/event-stream\b/i
