/** The end-to-end files that only call a server: one server for all of them, and an account for each. */
import { hostServer } from '@millhand/test-e2e/visit'
import { importTests } from '../bundles.ts'

const host = await hostServer()
process.env.TEST_SHARED = host.shared
importTests('visitors-others', () => host.close())
