/** The processor `none`: invoices are made, and nobody collects them. */
import { fail } from '@millhand/api'
import type { PaymentProcessor } from './payment-processor.ts'

export const noProcessor: PaymentProcessor = {
  collects: false,
  check: async () => {},
  collect: async () => ({ status: 'none' }),
  async read() {
    throw fail('not_found', 'This deployment has no payment processor.')
  },
}
