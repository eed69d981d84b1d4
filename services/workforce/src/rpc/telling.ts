import type { HandlerContext } from '@connectrpc/connect'
import type { Places } from '../quota/places.ts'

/** Makes a method tell its caller, in the headers of its answer and of its refusals, what is left of the day's quota. */
export const telling =
  (places: Pick<Places, 'tell'>) =>
  <Request, Answer>(handle: (req: Request, call: HandlerContext) => Promise<Answer>) =>
  async (req: Request, call: HandlerContext): Promise<Answer> => {
    try {
      return await handle(req, call)
    } finally {
      await places.tell(call)
    }
  }
