import type { Employee } from '../catalogue.ts'
import { cell, code } from './markdown.ts'

/** Stands above every page that is made. */
export const ORIGIN = '<!-- Made from the folders of the kinds: change those, and run pnpm generate. -->'

/** The page that leads to those of the employees, in Markdown. */
export function indexPage(employees: readonly Employee[]): string {
  return `${[
    ORIGIN,
    '# Who does what',
    'How to ask, and what holds for every kind: [the workforce](../workforce.md).',
    ...employees.flatMap(({ id, name, role, description, kinds }) => [
      `## [${name}](${id}.md), ${role.toLowerCase()}`,
      description,
      kindTable(kinds, kind => `${id}.md#${kind}`),
    ]),
  ].join('\n\n')}\n`
}

/** Their titles, each leading to where `to` says for its id, their ids, and what does them. */
export function kindTable(kinds: Employee['kinds'], to: (id: string) => string): string {
  const rows = kinds.map(({ id, title, engines }) => {
    const by = engines.map(engine => (engine === 'rules' ? 'rules' : 'a language model')).join(' or ')
    return `| [${cell(title)}](${to(id)}) | ${code(id)} | ${by} |`
  })
  return ['| | `task` | done by |', '|---|---|---|', ...rows].join('\n')
}
