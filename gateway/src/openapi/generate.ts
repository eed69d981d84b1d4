import { readFileSync, writeFileSync } from 'node:fs'
import { protoComments } from '@millhand/api/schema'
import { publicServices } from '../public-services.ts'
import { openapiDocument } from './document.ts'

// Writes the golden file; with `--check` compares instead, and fails where it differs.
const golden = new URL('../../openapi.golden.json', import.meta.url)
const text = `${JSON.stringify(openapiDocument(publicServices, protoComments()), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(golden, text)
} else if (readFileSync(golden, 'utf8') !== text) {
  process.stderr.write(
    'gateway/openapi.golden.json is not what the contract says: run pnpm generate, and read the diff.\n',
  )
  process.exitCode = 1
}
