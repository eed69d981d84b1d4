import { readFileSync, writeFileSync } from 'node:fs'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { protoComments } from '@millhand/api/schema'
import { openapiDocument } from './document.ts'

// Writes the golden file; with `--check` compares instead, and fails where it differs.
const golden = new URL('../../openapi.golden.json', import.meta.url)
const text = `${JSON.stringify(openapiDocument([ComputeService, FileService], protoComments()), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(golden, text)
} else if (readFileSync(golden, 'utf8') !== text) {
  process.stderr.write(
    'gateway/openapi.golden.json is not what the contract says: run pnpm generate, and read the diff.\n',
  )
  process.exitCode = 1
}
