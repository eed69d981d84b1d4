import { hostServer } from '@millhand/test-e2e/visit'
import { importTests } from './bundles.ts'

/** Registers the end-to-end files of a bundle that only call a server: one server for all of them, and an account for each. */
export async function importVisitors(name: string): Promise<void> {
  const host = await hostServer()
  process.env.TEST_SHARED = host.shared
  importTests(name, () => host.close())
}
