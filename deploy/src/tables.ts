/** The tables of the documentation that are made from the code. */
import type { DescService } from '@bufbuild/protobuf'
import { isOpen, type MetricSpec, metricSpecs } from '@millhand/telemetry'
import { localVariables } from './local-config.ts'
import { loadProcess } from './processes/load-process.ts'
import { type CallerName, callers, grantOf, isCalled, serviceNames } from './services.ts'

export interface Table {
  /** Its page below `docs/`. */
  readonly page: string
  /** The line of its columns. */
  readonly head: string
  readonly rows: readonly string[]
}

/** All of them: they load every process. */
export const readTables = async (): Promise<Table[]> => [localSettings, metrics, await settings(), privileges]

/** The document with the rows of the table, below the line of its columns. @throws Error where there is no such line */
export function withTable(document: string, { page, head, rows }: Table): string {
  const [before, old, ...others] = document.split(`\n\n${head}\n`)
  if (before === undefined || old === undefined || others.length > 0)
    throw new Error(`docs/${page} should have this line once, below an empty line: ${head}`)
  const lines = [head, head.replaceAll(/[^|]+/g, '---'), ...rows]
  return `${before}\n\n${lines.join('\n')}${old.slice(old.indexOf('\n\n'))}`
}

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

const localSettings: Table = {
  page: 'operating.md',
  head: '| variable | default | form | |',
  rows: localVariables
    .describe()
    .map(each => `| \`${each.name}\` | ${code(each.default)} | ${each.form} | ${each.doc} |`),
}

const metrics: Table = {
  page: 'operating.md',
  head: '| metric | kind | unit | labels | |',
  rows: Object.entries<MetricSpec>(metricSpecs).map(([name, { kind, unit, help, labels }]) => {
    const values = Object.entries(labels).map(
      ([label, values]) => `\`${label}\`: ${isOpen(values) ? values.are : values.join(', ')}`,
    )
    return `| \`${name}\` | ${kind} | ${unit} | ${values.join('; ')} | ${help} |`
  }),
}

/** A service that can't start without a variable is bold. */
async function settings(): Promise<Table> {
  const readers = new Map<string, { readonly names: string[]; readonly end: string }>()
  for (const service of serviceNames) {
    const { variables } = await loadProcess(service)
    for (const { name, required, default: fallback, form, doc } of variables.describe()) {
      const known = readers.get(name)?.names ?? []
      readers.set(name, {
        names: [...known, required ? `**${service}**` : service],
        end: `${code(fallback)} | ${form} | ${doc} |`,
      })
    }
  }
  return {
    page: 'many-machines.md',
    head: '| variable | read by | default | form | |',
    rows: [...readers].map(([name, { names, end }]) => `| \`${name}\` | ${names.join(', ')} | ${end}`),
  }
}

const privileges: Table = {
  page: 'many-machines.md',
  head: '| service | credentials | may call |',
  rows: (Object.keys(callers) as CallerName[]).map(name => {
    const credentials = [
      ...(grantOf(name).calls.length > 0 ? ['its token'] : []),
      ...(grantOf(name).secret ? ['its own secret'] : []),
      ...(isCalled(name) ? ["the operator's public key"] : []),
    ]
    const calls = Object.entries<readonly DescService[]>(callers[name].calls).map(
      ([callee, services]) =>
        `${callee === name ? 'other replicas' : callee}: ${services.map(service => code(service.name)).join(', ')}`,
    )
    return `| ${name} | ${credentials.join(', ')} | ${calls.join('; ') || 'nothing'} |`
  }),
}
