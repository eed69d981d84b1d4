/** Runs a part of the suite: `connectconformance` starts our programs and judges them. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { goModule, goTool } from '@millhand/test-servers'

const MODULE = 'connectrpc.com/conformance'
const VERSION = 'v1.0.7'

export interface Runner {
  run(part: Part): Promise<Outcome>
  close(): Promise<void>
}

export interface Part {
  /** Which of our programs are judged; who is not comes with the suite. `way` is how our client reaches its server. */
  readonly judged: { readonly server?: true; readonly client?: 'network' | 'tunnel' }
  /** What we claim: a file of this package. */
  readonly features: string
  /** Files with the cases that fail, or may fail, and why. */
  readonly knownFailing?: string
  readonly knownFlaky?: string
}

interface Outcome {
  /** How many cases each protocol had. */
  readonly cases: Readonly<Record<string, number>>
  readonly passed: number
  /** Of those that are known to. */
  readonly failedAsKnown: number
  /** Other than expected. */
  readonly failed: number
  /** What the runner printed. */
  readonly report: string
}

/** Builds the suite where it is not there yet, which takes up to a minute. */
export async function openRunner(): Promise<Runner> {
  const binary = await goTool(`${MODULE}/cmd/connectconformance`, VERSION)
  const folder = await mkdtemp(join(tmpdir(), 'millhand-conformance-'))
  const image = join(folder, 'image.binpb')
  const protos = join(await goModule(MODULE, VERSION), 'proto')
  await promisify(execFile)(join(root, 'node_modules/.bin/buf'), ['build', protos, '--output', image])

  const program = (file: string, ...words: string[]) => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, 'src', file),
    image,
    ...words,
  ]
  return {
    async run({ judged, features, knownFailing, knownFlaky }) {
      const words = ['--verbose', '--max-servers', '2', '--conf', join(root, features)]
      if (knownFailing) words.push('--known-failing', `@${join(root, knownFailing)}`)
      if (knownFlaky) words.push('--known-flaky', `@${join(root, knownFlaky)}`)
      const client = judged.client ? program('client-under-test.ts', judged.client) : []
      const server = judged.server ? program('server-under-test.ts') : []
      const both = judged.client && judged.server
      words.push('--mode', both ? 'both' : judged.client ? 'client' : 'server', '--')
      words.push(...client, ...(both ? ['----'] : []), ...server)
      return outcomeOf(await printedBy(binary, words, { NODE_COMPILE_CACHE: join(folder, 'compiled') }))
    },
    close: () => rm(folder, { recursive: true }),
  }
}

const root = join(import.meta.dirname, '..')

/** Also when it fails, and says why. */
function printedBy(binary: string, words: string[], variables: NodeJS.ProcessEnv): Promise<string> {
  return new Promise(resolve => {
    execFile(
      binary,
      words,
      { maxBuffer: 64 * 2 ** 20, env: { ...process.env, ...variables } },
      (error, stdout, stderr) => {
        resolve([stdout, stderr, error?.code ?? ''].join('\n'))
      },
    )
  })
}

function outcomeOf(report: string): Outcome {
  const cases: Record<string, number> = {}
  for (const [, count, protocol = ''] of report.matchAll(/^Running (\d+) tests .*PROTOCOL_(\w+)/gm)) {
    cases[protocol] = (cases[protocol] ?? 0) + Number(count)
  }
  const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? 0)
  return {
    cases,
    passed: number(/^(\d+) passed, \d+ failed$/m),
    failed: number(/^\d+ passed, (\d+) failed$/m),
    failedAsKnown: number(/^\(Another (\d+) failed as expected/m),
    report,
  }
}
