import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { scriptedModel } from '@millhand/employees/scripted-model'
import type { Wire } from './http.ts'
import { kindOf } from './kinds.ts'
import { reply } from './model-replies.ts'
import { startServer } from './server.ts'
import { ended } from './tasks.ts'

describe('the cost of work whose executor dies while the language model is asked', { timeout: 1_800_000 }, () => {
  const endings: (() => void)[] = []
  after(() => {
    for (const end of endings) end()
  })

  for (const [what, micros, questions, end] of [
    ['is done again for what is left of `max_cost`', 2_000_000, 2, 'succeeded'],
    ['is not done again for more than `max_cost`', 100_000, 1, 'failed'],
  ] as const)
    it(what, async () => {
      const model = await scriptedModel({ after: end => void endings.push(end as () => void) }, [
        'nothing',
        JSON.stringify(reply),
      ])
      await using server = await startServer({
        env: {
          MILLHAND_LLM_URL: model.url,
          MILLHAND_LLM_MODEL: 'small',
          MILLHAND_LLM_INPUT_MICROS: '10000000',
          MILLHAND_LLM_OUTPUT_MICROS: '100000000',
        },
      })
      const max_cost = { amount: (micros / 1e6).toFixed(6), currency: 'USD' }
      const json = { task: 'write_response', ...(kindOf('emma', 'write_response').example as Wire), max_cost }
      const hung = model.hung()
      const { body } = await server.request('POST', '/v1/workforce/emma/tasks', { json })
      await hung
      await server.kill()
      await server.restart()
      const task = await ended(server, body.id)
      assert.deepEqual(
        [task.status, task.error?.code, task.attempt],
        [end, end === 'failed' ? 'max_cost_reached' : undefined, 2],
      )
      assert.equal(model.asked.length, questions)
      assert.ok(Number(task.cost.amount) * 1e6 <= micros, task.cost.amount)
    })
})
