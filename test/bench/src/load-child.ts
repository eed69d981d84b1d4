/** The load generator as a process of its own. */
import { answerQuestions } from './child.ts'
import { type Load, load } from './load.ts'

answerQuestions((plan: Load) => load(plan))
