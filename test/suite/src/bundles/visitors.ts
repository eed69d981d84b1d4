/** The end-to-end files that only call a server: one server for all of them, and an account for each. */
import { after } from 'node:test'
import { hostServer } from '@millhand/test-e2e/visit'
import { importTests } from '../bundles.ts'

const host = await hostServer()
process.env.TEST_SHARED = host.shared
importTests('visitors')
// Behind the hooks of the files: they still call it.
after(() => host.close())
