/** A brief as a task keeps it and a run gets it: JSON text. Its files come beside it. */
import type { CreateWorkforceTaskRequest } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { Constraints, KeptBrief } from './employee.ts'

/** Of a request, with what it leaves out: no topic, no tone, no input, no constraints, and the seed 0. */
export function briefOf(req: CreateWorkforceTaskRequest): KeptBrief {
  const { topic = '', tone = '', input = {}, language, audience, constraints, seed = 0 } = req
  return {
    topic,
    tone,
    input,
    ...(language !== undefined && { language }),
    ...(audience !== undefined && { audience }),
    constraints: constraintsOf(constraints),
    seed,
  }
}

/** As `readBrief` reads it. */
export const briefText = (brief: KeptBrief): string => JSON.stringify(brief)

/** Of a text that `briefText` made. */
export const readBrief = (text: string): KeptBrief => JSON.parse(text)

function constraintsOf(asked: CreateWorkforceTaskRequest['constraints']): Constraints {
  if (asked === undefined) return {}
  const { minWords, maxWords, mustInclude, avoid } = asked
  return {
    ...(minWords !== undefined && { min_words: minWords }),
    ...(maxWords !== undefined && { max_words: maxWords }),
    ...(mustInclude.length > 0 && { must_include: mustInclude }),
    ...(avoid.length > 0 && { avoid }),
  }
}
