import { plain } from '../finding.ts'
import type { Result } from './result.ts'

/** The review as plain text, the worst first. */
export function readingOf({ summary, findings }: Result): string {
  const { files, lines, errors, warnings, infos } = summary
  const found = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'note')].join(', ')
  const head = `${counted(files, 'file')}, ${counted(lines, 'line')}: ${found}.`
  const told = findings
    .slice(0, MOST_TOLD)
    .map(({ severity, file, line, message, why, fix, rule, patch }) =>
      [
        `${severity} ${plain(file)}:${line} ${message} (${rule})`,
        `  ${why}`,
        `  ${fix}${patch ? ' A patch is given.' : ''}`,
      ].join('\n'),
    )
  const rest = findings.length > MOST_TOLD ? [`… and ${findings.length - MOST_TOLD} more.`] : []
  return [head, ...told, ...rest].join('\n\n')
}

const MOST_TOLD = 50

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
