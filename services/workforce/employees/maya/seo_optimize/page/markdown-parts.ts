/** The parts of a text in Markdown that stand by themselves. https://spec.commonmark.org/0.31.2/ */

export interface Part {
  readonly kind: 'paragraph' | 'heading' | 'code' | 'html'
  readonly start: number
  /** As it is written. */
  readonly text: string
  /** Without the signs that make it a heading. */
  readonly content: string
  /** Of a heading. */
  readonly level?: number
}

/** Where to end reading a line that may be anything. */
const LONGEST_LINE = 2_000

/** Each entry of a list by itself; without front matter, comments and the definitions of links. */
export function partsOf(raw: string): Part[] {
  const parts: Part[] = []
  let open: { readonly start: number; end: number; readonly kind: 'paragraph' | 'html' } | undefined
  const close = () => {
    if (open) parts.push(partOf(open.kind, raw, open.start, open.end))
    open = undefined
  }
  let mayCommentEnd = true
  for (let at = frontMatterEnd(raw); at < raw.length; ) {
    const end = lineEnd(raw, at)
    const line = raw.slice(at, Math.min(end, at + LONGEST_LINE)).trimEnd()
    let next = end + 1
    const fence = fenceOf(line)
    const heading = atx.exec(line)
    const underline = open || !isPlain(line) ? undefined : underlineAt(raw, next)
    const commentEnd = mayCommentEnd && /^ {0,3}<!--/.test(line) ? raw.indexOf('-->', at) : undefined
    if (line === '') close()
    else if (open?.kind === 'html') open.end = end
    else if (fence !== undefined) {
      close()
      next = behindFence(raw, next, fence)
      parts.push(partOf('code', raw, at, Math.min(raw.length, next - 1)))
    } else if (heading) {
      close()
      const [, signs = '', content = ''] = heading
      parts.push({ ...partOf('heading', raw, at, end), content: content.replace(/\s#+$/, ''), level: signs.length })
    } else if (underline !== undefined) {
      next = lineEnd(raw, next) + 1
      parts.push({ ...partOf('heading', raw, at, next - 1), content: line, level: underline })
    } else if (commentEnd !== undefined) {
      close()
      // What is never closed hides nothing, and is searched for once.
      if (commentEnd === -1) mayCommentEnd = false
      else next = lineEnd(raw, commentEnd) + 1
    } else if (!open && definition.test(line)) close()
    else if (open && !entry.test(line) && !opensHeading.test(line)) open.end = end
    else {
      close()
      open = { start: at, end, kind: isHtml(line) ? 'html' : 'paragraph' }
    }
    at = next
  }
  close()
  return parts
}

function partOf(kind: Part['kind'], raw: string, start: number, end: number): Part {
  const text = raw.slice(start, end)
  return { kind, start, text, content: text }
}

function lineEnd(raw: string, at: number): number {
  const end = raw.indexOf('\n', at)
  return end === -1 ? raw.length : end
}

const atx = /^ {0,3}(#{1,6})[ \t]+(.*)$/
/** Of a list, or a row of a table. */
const entry = /^\s{0,20}(?:[-*+|]|1[.)]|\d{1,3}[.)](?= [\p{Lu}`*[])) /u
const definition = /^ {0,3}\[[^[\]\n]{1,200}\]:\s{0,9}\S/

/** The signs that open code; a line with signs behind them is code within a line. */
const fenceOf = (line: string): string | undefined => /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]

/** Behind the line that closes the code, or the text. */
function behindFence(raw: string, from: number, fence: string): number {
  let at = from
  while (at < raw.length) {
    const end = lineEnd(raw, at)
    const line = raw.slice(at, Math.min(end, at + LONGEST_LINE)).trim()
    if (line.startsWith(fence) && line.replaceAll(fence.charAt(0), '') === '') return end + 1
    at = end + 1
  }
  return at
}

/** The level that a line below gives to the one above it. */
function underlineAt(raw: string, at: number): number | undefined {
  const line = raw.slice(at, Math.min(lineEnd(raw, at), at + LONGEST_LINE))
  if (/^ {0,3}=+\s*$/.test(line)) return 1
  return /^ {0,3}-{2,}\s*$/.test(line) ? 2 : undefined
}

/** No entry of a list, quote, row of a table or rule. */
const isPlain = (line: string): boolean => /^ {0,3}(?![-*+>|=<#]|\d{1,9}[.)] )\S/.test(line)

/** `---`, data about the text, `---`: at its beginning alone. */
function frontMatterEnd(raw: string): number {
  const [whole] =
    /^\ufeff?---[ \t]*\r?\n(?:[^\n]{0,2000}\n){0,200}?---[ \t]*(?:\r?\n|$)/.exec(raw.slice(0, 100_000)) ?? []
  return whole?.length ?? 0
}

/** A heading in tags ends the paragraph above it. */
const opensHeading = /^ {0,3}<h[1-6][\s>]/i

const isHtml = (line: string): boolean =>
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|picture|pre|script|section|style|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[\s/>]|$)/i.test(
    line,
  ) || /^ {0,3}<\/?[a-z][\w-]{0,30}(?:\s[^<>]{0,1000})?>\s*$/i.test(line)
