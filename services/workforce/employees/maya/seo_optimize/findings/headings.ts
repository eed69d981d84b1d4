import { headingsOf, levelOf, named, type PageElement } from '../page/page.ts'
import { added, changed, escaped, type Fault, type Judged } from './fault.ts'

export function judgeHeadings({ page, proposals }: Judged): Fault[] {
  const headings = headingsOf(page)
  const main = headings.filter(({ name }) => name === 'h1')
  const tag = (level: number, text: string) =>
    page.kind === 'text' ? `${'#'.repeat(level)} ${text}` : `<h${level}>${escaped(text)}</h${level}>`
  return [...missing(), ...several(), ...headings.flatMap(empty), ...skipped(), ...repeated()]

  function missing(): Fault[] {
    if (main.length > 0) return []
    const body = named(page, 'body')[0] ?? named(page, 'head')[0] ?? page.elements[0]
    const start = page.raw.search(/\S/)
    const place = page.kind === 'html' && body ? { start: body.start, end: body.tagEnd } : { start, end: start + 1 }
    const title = named(page, 'title')[0]?.text || proposals.title || '[what the page is about]'
    return [added('h1_missing', place, 'There is no main heading.', tag(1, title))]
  }

  function several(): Fault[] {
    // That of the content is the page's, and not that of a menu or of the site above it.
    const kept = main.find(({ isContent }) => isContent) ?? main[0]
    return main
      .filter(heading => heading !== kept)
      .map(heading =>
        changed(page, 'h1_several', heading, `There are ${main.length} main headings.`, tag(2, heading.text)),
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
      return [changed(page, 'heading_skipped', heading, message, tag(most, heading.text))]
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
        const after = tag(level, `${heading.text}: [what tells it apart]`)
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
