/** Text that was not written for Markdown, in Markdown. */

export const code = (text: string): string => `\`${text}\``

/** What stands in a cell of a table: in one line, with nothing that ends the cell or opens a tag. */
export const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll(/`[^`]*`|[<*_]/g, part => (part.length === 1 ? `\\${part}` : part))

/** Text as it stands, in a frame that nothing in it closes. */
export function framed(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return [`${fence}text`, ...text.split('\n'), fence].map(line => `> ${line}`.trimEnd()).join('\n')
}
