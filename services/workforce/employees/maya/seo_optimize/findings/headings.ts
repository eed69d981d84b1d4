import { headingsOf, isTagged, levelOf, named, type PageElement } from '../page/page.ts'
import { added, changed, escaped, type Fault, type Judged } from './fault.ts'
import { titleHeading } from './proposals.ts'

/** A longer heading is not copied. */
const LONGEST = 500

export function judgeHeadings({ page, proposals }: Judged): Fault[] {
  const headings = headingsOf(page)
  const main = headings.filter(({ name }) => name === 'h1')
  const tag = (level: number, text: string, isMarkdown = page.kind === 'text') =>
    isMarkdown ? `${'#'.repeat(level)} ${text}` : `<h${level}>${escaped(text)}</h${level}>`
  return [...missing(), ...outside(), ...several(), ...headings.flatMap(empty), ...skipped(), ...repeated()]

  function missing(): Fault[] {
    if (main.length > 0) return []
    const body = named(page, 'body')[0] ?? named(page, 'head')[0] ?? page.elements[0]
    const start = page.raw.search(/\S/)
    const place = page.kind === 'html' && body ? { start: body.start, end: body.tagEnd } : { start, end: start + 1 }
    const title = named(page, 'title')[0]?.text || proposals.title || '[what the page is about]'
    return [added('h1_missing', place, 'There is no main heading.', tag(1, title))]
  }

  /** The same with another level, and with all that it has, such as links and the id that links lead to. */
  function levelled(heading: PageElement, level: number): string {
    const raw = page.raw.slice(heading.start, heading.end)
    if (!isTagged(page, heading))
      return /^ {0,3}#/.test(raw) && raw.length <= LONGEST
        ? raw.replace(/^ {0,3}#{1,6}/, '#'.repeat(level))
        : tag(level, heading.text, true)
    const isWhole = raw.length <= LONGEST && /^<h\d[\s>]/i.test(raw) && /<\/h\d\s*>$/i.test(raw)
    return isWhole
      ? raw.replace(/^<h\d/i, `<h${level}`).replace(/<\/h\d\s*>$/i, `</h${level}>`)
      : tag(level, heading.text, false)
  }

  /** Of a site, above the content of every page, while what the title of this one says is a heading below it. */
  function outside(): Fault[] {
    const own = titleHeading(page)
    if (!own || levelOf(own) === 1 || main.length === 0 || main.some(({ isContent }) => isContent)) return []
    const title = named(page, 'title')[0]?.text.toLowerCase() ?? ''
    const isOwn = title.startsWith(own.text.toLowerCase()) && main.every(({ text }) => text !== own.text)
    if (!isOwn) return []
    const message = `The main heading, “${main[0]?.text.slice(0, 100)}”, stands outside of the content, whose own heading is one of level ${levelOf(own)}.`
    return [changed(page, 'h1_missing', own, message, levelled(own, 1))]
  }

  function several(): Fault[] {
    // That of the content is the page's, and not that of a menu or of the site above it.
    const kept = main.find(({ isContent }) => isContent) ?? main[0]
    return main
      .filter(heading => heading !== kept)
      .map(heading =>
        changed(page, 'h1_several', heading, `There are ${main.length} main headings.`, levelled(heading, 2)),
      )
  }

  function empty(heading: PageElement): Fault[] {
    return heading.text === '' ? [changed(page, 'heading_empty', heading, 'The heading has no text.', '')] : []
  }

  function skipped(): Fault[] {
    return headings.flatMap((heading, at) => {
      const before = headings[at - 1]
      const most = before ? levelOf(before) + 1 : 6
      if (levelOf(heading) <= most) return []
      const message = `A heading of level ${levelOf(heading)} follows one of level ${most - 1}.`
      return [changed(page, 'heading_skipped', heading, message, levelled(heading, most))]
    })
  }

  /** Within the same section: under the same heading of the level above. */
  function repeated(): Fault[] {
    const seen = new Map<string, number>()
    const path: string[] = []
    return headings
      .filter(({ isContent }) => isContent)
      .flatMap(heading => {
        const level = levelOf(heading)
        path.length = Math.min(path.length, level - 1)
        const key = JSON.stringify([...path.slice(-1), level, heading.text.toLowerCase()])
        path[level - 1] = heading.text.slice(0, 200)
        const times = (seen.get(key) ?? 0) + 1
        seen.set(key, times)
        if (heading.text === '' || times === 1 || level === 1) return []
        const after = tag(level, `${heading.text}: [what tells it apart]`, !isTagged(page, heading))
        return [
          changed(
            page,
            'heading_repeated',
            heading,
            `The heading “${heading.text.slice(0, 100)}” stands here again.`,
            after,
          ),
        ]
      })
  }
}
