import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Groups, type Outcome } from './groups.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

describe('groups', () => {
  it('sends the items of one turn together', async () => {
    const { groups, sent, answer } = opened()
    const results = Promise.all([groups.add(1), groups.add(2)])
    await turn()
    assert.deepEqual(sent, [[1, 2]])
    answer()
    assert.deepEqual(await results, ['done 1', 'done 2'])
  })

  it('has two groups under way at most, and what came meanwhile in the next', async () => {
    const { groups, sent, answer } = opened()
    const all = []
    for (let item = 1; item <= 4; item++) {
      all.push(groups.add(item))
      await turn()
    }
    assert.deepEqual(sent, [[1], [2]])
    answer()
    await turn()
    await turn()
    assert.deepEqual(sent, [[1], [2], [3, 4]])
    answer()
    answer()
    await Promise.all(all)
  })

  it('closes a group at 500 items, and at 3 million characters', async () => {
    const { groups, sent, answer } = opened()
    for (const [item, count] of [
      [1, 700],
      [1_000_000, 4],
    ] as const) {
      const all = Array.from({ length: count }, () => groups.add(item))
      await turn()
      await turn()
      answer()
      answer()
      await Promise.all(all)
    }
    assert.deepEqual(
      sent.map(({ length }) => length),
      [500, 200, 3, 1],
    )
  })

  it('rejects an item that failed and no other, and all of a group that failed', async () => {
    const { groups, answer } = opened()
    const failing = Promise.allSettled([groups.add(1), groups.add(-1)])
    await turn()
    answer()
    assert.deepEqual(
      (await failing).map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    const none = Promise.allSettled([groups.add(1), groups.add(2)])
    await turn()
    answer(new Error('all'))
    assert.deepEqual(
      (await none).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  })
})

/** Groups of numbers; a number is its length, and a negative one fails. */
function opened() {
  const sent: number[][] = []
  const answers: PromiseWithResolvers<void>[] = []
  const groups = new Groups<number, string>({
    weigh: item => item,
    async send(items) {
      sent.push([...items])
      const answered = Promise.withResolvers<void>()
      answers.push(answered)
      await answered.promise
      return items.map((item): Outcome<string> => (item < 0 ? { error: new Error('one') } : { value: `done ${item}` }))
    },
  })
  const answer = (error?: Error) => {
    const next = answers.shift()
    if (error) next?.reject(error)
    else next?.resolve()
  }
  return { groups, sent, answer }
}
