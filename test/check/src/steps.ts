import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contractBreaks } from './contract/released.ts'
import { execute, root } from './execute.ts'
import { fileFaults } from './files.ts'
import { differences } from './folders.ts'
import type { Verdict } from './verdict.ts'

/** One thing that is checked. */
export interface Step {
  readonly name: string
  run(): Promise<Verdict>
}

/** Everything but the tests, the quick and telling ones first. */
export const steps: readonly Step[] = [
  command('format and lint', ['biome', 'ci', '--colors=off', '--error-on-warnings', '.']),
  command('promises, long functions', ['oxlint', '--type-aware', '--deny-warnings', '.']),
  command('types', ['tsc', '--noEmit', '-p', 'tsconfig.json']),
  command('contract: style', ['buf', 'lint'], 'proto'),
  { name: 'contract: nothing breaks', run: contractBreaks },
  { name: 'generated: messages', run: generatedMessages },
  command('generated: checks', ['node', 'src/validation/generate.ts', '--check'], 'libs/rpc'),
  command('generated: OpenAPI', ['node', 'src/openapi/generate.ts', '--check'], 'gateway'),
  command('generated: AsyncAPI', ['node', 'src/kafka/asyncapi/generate.ts', '--check'], 'libs/eventlog'),
  command('generated: employees', ['node', 'src/pages/generate.ts', '--check'], 'services/workforce/employees'),
  command('import boundaries', [
    'depcruise',
    '--config',
    '.dependency-cruiser.mjs',
    'gateway',
    'services',
    'libs',
    'deploy',
    'test',
  ]),
  command('dead code, dependencies', ['knip', '--no-progress', '--treat-config-hints-as-errors']),
  { name: 'files', run: fileFaults },
]

/** A step that is a command of the workspace, run in one of its folders: its exit code decides. */
function command(name: string, words: readonly string[], folder = '.'): Step {
  return {
    name,
    run: async () => {
      const { code, output } = await execute(words, folder)
      return { faults: code === 0 ? '' : output || `exit code ${code}` }
    },
  }
}

/** Generates the messages again, elsewhere, and compares. */
async function generatedMessages(): Promise<Verdict> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'millhand-check-'))
  try {
    const { code, output } = await execute(['buf', 'generate', '--output', join(elsewhere, 'proto')], 'proto')
    if (code !== 0) return { faults: output }
    const found = differences(join(root, 'libs/api/src/gen'), join(elsewhere, 'libs/api/src/gen'))
    return { faults: found.map(file => `${file} is not what \`pnpm generate\` makes`).join('\n') }
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
}
