/** The consumers' tools, and why a suite without them skips. */
import { missing, printed, pythonMissing } from '@millhand/test-servers'

export const kcatMissing = missing('needs kcat (Debian: kcat)', () => printed('kcat', ['-V']) !== undefined)
export const consumerMissing = pythonMissing('confluent_kafka')
