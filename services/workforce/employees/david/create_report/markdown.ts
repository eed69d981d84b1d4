/** A report as Markdown (CommonMark, with the tables of GitHub); pictures are files beside it. */
import type { Block, Report } from './document.ts'

export const markdownOf = ({ title, subtitle, sections }: Report): string =>
  `${[
    `# ${plain(title)}`,
    plain(subtitle),
    ...sections.flatMap(({ heading, blocks }) => [`## ${plain(heading)}`, ...blocks.map(written)]),
  ].join('\n\n')}\n`

function written(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return plain(block.text)
    case 'heading':
      return `### ${plain(block.text)}`
    case 'list':
      return block.items.map(item => `- ${plain(item)}`).join('\n')
    case 'table':
      return [
        line(block.header),
        line(
          block.header.map(() => '---'),
          false,
        ),
        ...block.rows.map(row => line(row)),
      ].join('\n')
    case 'picture':
      return `![${plain(block.alternative)}](${block.file})`
    case 'query':
      return fenced(block.text)
  }
}

const line = (cells: readonly string[], escaped = true) =>
  `| ${cells.map(cell => (escaped ? plain(cell) : cell)).join(' | ')} |`

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}sql\n${text.replaceAll(/[\r\n]+/g, ' ')}\n${fence}`
}

/** Nothing in a text begins a link, a list, a table or markup. A backslash before a sign of ASCII makes it plain. */
export const plain = (text: string) =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/[\\`*_[\]>|~&#!@]|:(?=\/\/)|(?<=\bwww)\./g, sign => `\\${sign}`)
    .replaceAll('<', '&lt;')
    .replace(/^(\s*)([-+=])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, '$1\\$2')
