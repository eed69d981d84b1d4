/** What every adapter of `EventLog` has to do. An adapter's test calls `describeEventLog` and adds its own. */
import { describe } from 'node:test'
import type { OpenLog } from './contract-log.fixture.ts'
import { describeProgress } from './progress.contract.ts'
import { describeSubscribe } from './subscribe.contract.ts'
import { describeTail } from './tail.contract.ts'

export type { OpenLog }

export function describeEventLog(name: string, open: () => Promise<OpenLog>): void {
  describe(`${name}: EventLog`, () => {
    describeSubscribe(open)
    describeTail(open)
    describeProgress(open)
  })
}
