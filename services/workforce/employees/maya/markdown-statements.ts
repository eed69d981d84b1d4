/** The statements of a Markdown file: its paragraphs and items as a reader sees them, each with the line that it begins in. */

export interface Statement {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/**
 * No headings, images, badges, code, tables and rules: they tell nothing by themselves. What ends with a colon announces a list
 * and is left out too.
 */
export function statementsOf(markdown: string): Statement[] {
  const statements: Statement[] = []
  let open: { line: number; parts: string[] } | undefined
  let fence: string | undefined
  const close = () => {
    const text = open?.parts.map(withoutSigns).join(' ').replaceAll(/\s+/g, ' ').trim() ?? ''
    if (open && /[\p{L}\p{N}]/u.test(text) && !/[:：]$/.test(text)) statements.push({ line: open.line, text })
    open = undefined
  }
  for (const [at, line] of markdown.split(/\r\n?|\n/).entries()) {
    const mark = /^\s{0,12}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
    } else if (mark !== undefined) {
      close()
      fence = mark
    } else if (/^\s{0,3}(?:={2,}|-{2,})\s*$/.test(line)) {
      open = undefined // It underlines a heading.
    } else if (line.trim() === '' || apart.test(line)) {
      close()
    } else {
      const item = /^\s{0,20}(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?/i.exec(line)?.[0]
      if (item !== undefined || (open && !isWrapped(open.parts.at(-1) ?? '', line))) close()
      open ??= { line: at + 1, parts: [] }
      open.parts.push(line.slice(item?.length ?? 0).replace(/^\s{0,3}>\s?/, ''))
    }
  }
  close()
  return statements
}

/** Whether a line goes on with the one before: many a file has a statement a line, without an empty one between. */
const isWrapped = (before: string, line: string): boolean =>
  /^\s{2}/.test(line) || (!/[.!?…][)"”’]?\s*$/.test(before) && (before.length >= NARROWEST || /^\p{Ll}/u.test(line)))

/** Characters of a line that was broken because it was full. */
const NARROWEST = 50

/** Headings, rows of tables, rules, definitions of links, and indented code outside of a list. */
const apart =
  /^(?:\s{0,3}#{1,6}(?:\s|$)|\s{0,3}\||\s{0,3}(?:[*_]\s*){3,}$|\s{0,3}\[[^\]\n]{1,200}\]:\s|\t| {4,}(?![-*+•–\d]))/

/** Images go, links and emphasis keep their words. A link around images alone is a badge. */
const withoutSigns = (text: string): string =>
  text
    .replaceAll(/!\[[^\]\n]{0,300}\](?:\([^()\n]{0,600}\)|\[[^\]\n]{0,200}\])/g, '')
    .replaceAll(/\[\s*\](?:\([^()\n]{0,600}\)|\[[^\]\n]{0,200}\])/g, '')
    .replaceAll(/\[([^\]\n]{1,300})\](?:\([^()\n]{0,600}\)|\[[^\]\n]{0,200}\])/g, '$1')
    .replaceAll(/(`{1,2})([^`\n]{1,300})\1/g, '$2')
    .replaceAll(/(\*{1,3}|~~)(?=\S)([^*~\n]{1,600}?)(?<=\S)\1/g, '$2')
    .replaceAll(/(?<![\p{L}\p{N}_])(_{1,2})(?=\S)([^_\n]{1,600}?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
