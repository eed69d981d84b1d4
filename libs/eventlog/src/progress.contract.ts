/** What a log has to tell of its readers' progress. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { A, B, eachTest, event, type OpenLog } from './contract-log.fixture.ts'

export function describeProgress(open: () => Promise<OpenLog>): void {
  describe('progress', () => {
    const at = eachTest(open)

    const behind = async (position: string) => {
      const { read, end } = await at.log.progress([A], position)
      return end - read
    }
    const positions = async (count: number) => {
      const found: string[] = []
      for await (const events of at.log.tail([A], 'beginning', at.signal)) {
        found.push(...events.map(({ position }) => position))
        if (found.length >= count) return found
      }
      return found
    }

    it('tells how much there is to read behind a position, of the topics that are asked for', async () => {
      await at.append(event(A, 'k', 1), event(A, 'k', 2), event(A, 'k', 3))
      const [, second = '', third = ''] = await positions(3)
      assert.deepEqual([await behind('beginning'), await behind(second), await behind(third)], [3, 1, 0])
      const before = await at.log.progress([A], second)
      await at.append(event(A, 'k', 4), event(B, 'k', 1))
      assert.deepEqual([await behind(second), await behind(third), await behind('end')], [2, 1, 0])
      const after = await at.log.progress([A], second)
      assert.deepEqual([after.read, after.end], [before.read, before.end + 1])
    })

    it('is none in a log that has nothing of the topics', async () => {
      await at.append(event(B, 'k', 1))
      for (const position of ['beginning', 'end']) assert.equal(await soon(() => behind(position)), 0)
    })

    /** A topic that was just made may not answer at once. */
    async function soon<T>(ask: () => Promise<T>): Promise<T> {
      for (let tries = 1; ; tries++) {
        try {
          return await ask()
        } catch (error) {
          if (tries === 50) throw error
          await new Promise(resolve => setTimeout(resolve, 100))
        }
      }
    }
  })
}
