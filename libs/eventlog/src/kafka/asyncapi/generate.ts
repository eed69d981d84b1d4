import { readFileSync, writeFileSync } from 'node:fs'
import { protoComments } from '@millhand/api/schema'
import { publicTopics } from '../../public-topics.ts'
import { asyncapiDocument } from './document.ts'

// Writes the golden file; with `--check` compares instead, and fails where it differs.
const golden = new URL('../../../asyncapi.golden.json', import.meta.url)
const text = `${JSON.stringify(asyncapiDocument(publicTopics, protoComments()), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(golden, text)
} else if (readFileSync(golden, 'utf8') !== text) {
  process.stderr.write(
    'libs/eventlog/asyncapi.golden.json is not what the contract says: run pnpm generate, and read the diff.\n',
  )
  process.exitCode = 1
}
