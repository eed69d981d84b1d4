/** The processor `none` keeps the contract of payment processors. */
import { noProcessor } from './no-processor.ts'
import { describeProcessor } from './payment-processor.contract.ts'

describeProcessor('none', async () => ({
  processor: noProcessor,
  charged: () => [],
  customers: () => 0,
  async [Symbol.asyncDispose]() {},
}))
