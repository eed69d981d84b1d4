/** What the code of a kind exports. docs/decisions/workforce.md */
import type { Answer, Check } from './answer.ts'
import type { Brief } from './brief.ts'

/** `engine.ts` of a kind: throws a `Refusal` for what can't be done. */
export type Rules<Input, Result> = (brief: Brief<Input>) => Answer<Result> | Promise<Answer<Result>>

/** `checks.ts` of a kind. */
export type Checks<Input, Result, Given = readonly Check[]> = (brief: Brief<Input>, answer: Answer<Result>) => Given

/** The same where measuring waits for something, a database for example. */
export type SlowChecks<Input, Result> = Checks<Input, Result, Promise<readonly Check[]>>
