/** The contract is held to what was last released: `proto/released`, which `pnpm release:contract` alone moves forward. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, root } from '../execute.ts'
import type { Verdict } from '../verdict.ts'
import { asyncapiBreaks } from './asyncapi-breaks.ts'
import { openapiBreaks } from './openapi-breaks.ts'
import type { Json } from './schema-breaks.ts'

export async function contractBreaks(): Promise<Verdict> {
  const words = ['buf', 'breaking', '--path', 'millhand', '--against', 'released/image.binpb']
  const { code, output } = await execute(words, 'proto')
  const found = [
    ...(code === 0 ? [] : [output || `exit code ${code}`]),
    ...openapiBreaks(released('openapi.golden.json'), read('gateway/openapi.golden.json')),
    ...asyncapiBreaks(released('asyncapi.golden.json'), read('libs/eventlog/asyncapi.golden.json')),
  ]
  return { faults: found.join('\n') }
}

export const released = (file: string): Json => read(join('proto/released', file))

const read = (file: string): Json => JSON.parse(readFileSync(join(root, file), 'utf8'))
