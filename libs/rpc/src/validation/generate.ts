import { globSync, readFileSync, writeFileSync } from 'node:fs'
import type { DescService } from '@bufbuild/protobuf'
import { checksSource } from './checks-source.ts'

// Writes the checks; with `--check` compares instead, and fails where they differ.
const file = new URL('../gen/checks.ts', import.meta.url)
const messages = new URL('../../../api/src/gen/', import.meta.url)
const services: DescService[] = []
for (const name of globSync('**/*_pb.ts', { cwd: messages }).sort()) {
  const exported: Record<string, DescService | undefined> = await import(new URL(name, messages).href)
  for (const each of Object.values(exported)) if (each?.kind === 'service') services.push(each)
}
const text = checksSource(services)

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('libs/rpc/src/gen/checks.ts is not what the contract says: run pnpm generate.\n')
  process.exitCode = 1
}
