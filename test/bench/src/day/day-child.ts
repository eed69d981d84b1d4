/** Those who call, as a process of its own: what is measured never shares its processor time. */
import { answerQuestions } from '../child.ts'
import { type DayPlan, sendDay } from './calls.ts'

answerQuestions((plan: DayPlan) => sendDay(plan, line => process.stderr.write(`${line}\n`)))
