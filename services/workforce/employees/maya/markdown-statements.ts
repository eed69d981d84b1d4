/** The statements of a Markdown file: its paragraphs and items as a reader sees them, each with the line that it begins in. */

export interface Statement {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/**
 * No headings, images, badges, code, tables and rules: they tell nothing by themselves. What ends with a colon announces a list
 * and is left out too; so is a link alone, which names a page, what stands under a heading such as “License” and those below it, and
 * what a changelog says of its own form.
 */
export function statementsOf(markdown: string): Statement[] {
  const statements: Statement[] = []
  let open: Line[] = []
  let fence: string | undefined
  let legal: number | undefined
  const head = (level: number, text: string) => {
    if (legalHeading.test(text)) legal ??= level
    else if (legal !== undefined && level <= legal) legal = undefined
  }
  const close = () => {
    if (legal === undefined) statements.push(...statementsIn(open))
    open = []
  }
  for (const [at, line] of markdown.split(/\r\n?|\n/).entries()) {
    const mark = /^\s{0,12}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
    } else if (mark !== undefined) {
      close()
      fence = mark
    } else if (/^\s{0,3}(?:={2,}|-{2,})\s*$/.test(line)) {
      // It underlines a heading.
      head(line.trim().startsWith('=') ? 1 : 2, open.at(-1)?.text ?? '')
      open = []
    } else if (line.trim() === '' || apart.test(line)) {
      close()
      const [, signs, heading] = /^\s{0,3}(#{1,6})\s+(.{0,200})/.exec(line) ?? []
      if (signs !== undefined && heading !== undefined) head(signs.length, heading)
    } else {
      const item = /^\s{0,20}(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?/i.exec(line)?.[0]
      if (item !== undefined) close()
      open.push({ line: at + 1, text: line.slice(item?.length ?? 0).replace(/^\s{0,3}>\s?/, '') })
    }
  }
  close()
  return statements
}

type Line = Statement

/** “License server” is the heading of something else. */
const legalHeading =
  /^[^\p{L}]{0,20}(?:licen[sc](?:e|es|ing)|copyright|lizenz|licencia|urheberrecht)(?:\s*(?:&|\/|and|und|y)\s*\p{L}{1,30}|\s(?:information|notices?|terms))?\s*(?:[(©\d].{0,100})?[^\p{L}]{0,20}$/iu

/** Of a paragraph or an item. */
function statementsIn(lines: readonly Line[]): Statement[] {
  const seen = lines.map(({ line, text }) => ({ line, raw: text, text: withoutSigns(text).trimEnd() }))
  // Prose that was broken because its lines were full: some line goes on in small letters, and the last one ends a sentence.
  const isProse =
    seen.some(({ text }) => text.length >= NARROWEST_OF_PROSE) &&
    isEnded(seen.at(-1)?.text ?? '') &&
    seen.some(({ text }, at) => at > 0 && /^\s*\p{Ll}/u.test(text) && !isEnded(seen[at - 1]?.text ?? ''))
  const told: (typeof seen)[number][] = []
  for (const [at, { line, raw, text }] of seen.entries()) {
    const [last, before] = [told.at(-1), seen[at - 1]]
    if (last && before && isWrapped(before, { raw, text }, isProse))
      told[told.length - 1] = { line: last.line, raw: `${last.raw} ${raw}`, text: `${last.text} ${text}` }
    else told.push({ line, raw, text })
  }
  return told
    .filter(({ raw }) => !linkAlone.test(raw))
    .map(({ line, text }) => ({ line, text: text.replaceAll(/\s+/g, ' ').trim() }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text) && !/[:：]$/.test(text) && !formOfChangelog.test(text))
}

interface ReadLine {
  readonly raw: string
  readonly text: string
}

/** Whether a line goes on with the one before: many a file has a statement a line, without an empty one between. */
const isWrapped = (before: ReadLine, { raw, text }: ReadLine, isProse: boolean): boolean =>
  /^\s{2}/.test(raw) ||
  (!isEnded(before.text) &&
    (isProse || before.raw.length >= NARROWEST || /^\s*\p{Ll}/u.test(text) || /[,;]$/.test(before.text)))

const isEnded = (text: string): boolean => /[.!?…][)"”’]?\s*$/.test(text)

/** Characters of a line that was broken because it was full. */
const NARROWEST = 50
/** Of the longest line of such a paragraph: below are lists without signs, “Speaks HTTP”. */
const NARROWEST_OF_PROSE = 30

const linkAlone = /^\s*\[[^\]\n]{1,300}\](?:\([^()\n]{0,600}\)|\[[^\]\n]{0,200}\])[\s.;,]*$/

/** As keepachangelog.com has it. */
const formOfChangelog =
  /^(?:All notable changes to .{1,80} (?:will be|are) documented (?:in this file|here)|The format is based on Keep a Changelog)/i

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
