/** The end-to-end files that only call a server: one server for all of them, and an account for each. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startServer } from '@millhand/test-e2e/server'
import { ownModels } from '@millhand/test-e2e/tasks'
import { importTests } from '../bundles.ts'

const server = await startServer({ env: { MILLHAND_MODELS_DIR: ownModels } })
const { url, grpc, identity, metrics, dataDir } = server
process.env.TEST_SHARED = JSON.stringify({ url, grpc, identity, metrics, dataDir })
await importTests('visitors')
// Behind the hooks of the files: they still call it.
after(async () => assert.deepEqual(await server.stop(), { code: 0, signal: null }))
