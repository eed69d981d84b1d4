import assert from 'node:assert/strict'
import { isProblemCode, type Problem, problems } from '@millhand/api'

/** The problem that a response holds, which must be `code` in every respect that the contract names. */
export async function problemIn(response: Response, code: string): Promise<Problem> {
  const problem = (await response.json()) as Problem
  assert.equal(problem.code, code, JSON.stringify(problem))
  assert.ok(isProblemCode(code))
  assert.equal(response.status, problems[code].status)
  assert.equal(problem.status, problems[code].status)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  assert.equal(response.headers.get('x-request-id'), problem.request_id)
  return problem
}
