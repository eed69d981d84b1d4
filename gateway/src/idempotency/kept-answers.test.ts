import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, type ProblemCode, problemOf } from '@millhand/api'
import { type Keeping, keepingOf } from './kept-answers.ts'

const cases: readonly [code: ProblemCode, keeping: Keeping, retryAfterS?: number][] = [
  ['model_input_invalid', 'kept'],
  ['not_found', 'kept'],
  ['expired_credentials', 'forgotten'],
  ['insufficient_scope', 'forgotten'],
  ['rate_limited', 'forgotten', 7],
  ['concurrency_limited', 'forgotten', 5],
  ['idempotency_mismatch', 'released'],
  ['internal', 'released'],
  ['unavailable', 'released'],
  ['unavailable', 'released', 5],
]

for (const [code, keeping, retryAfterS] of cases) {
  test(`the answer ${code}${retryAfterS === undefined ? '' : ' with Retry-After'} is ${keeping}`, () => {
    const error = fail(code, 'x', retryAfterS === undefined ? {} : { retryAfterS })
    const { status } = problemOf(error, 'req_1', 'https://api.example')
    assert.equal(keepingOf(error, status), keeping)
  })
}
