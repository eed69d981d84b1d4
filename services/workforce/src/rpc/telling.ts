import type { HandlerContext } from '@connectrpc/connect'
import type { Places } from '../quota/places.ts'

/** Makes a method tell its caller, in the headers of its answer, what is left of the day's quota. */
export const telling =
  (places: Pick<Places, 'tell'>) =>
  <Request, Answer>(handle: (req: Request, call: HandlerContext) => Promise<Answer>) =>
  async (req: Request, call: HandlerContext): Promise<Answer> => {
    const answer = await handle(req, call)
    await places.tell(call)
    return answer
  }
