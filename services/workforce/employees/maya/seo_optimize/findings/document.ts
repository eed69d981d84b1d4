/** What a page says to browsers and robots: robots, viewport, encoding, language, and whether its head holds it all. */
import { flat, linkedAs, metaOf, named } from '../page/page.ts'
import { added, changed, escaped, type Fault, headOf, type Judged } from './fault.ts'
import { languageName } from './language-tag.ts'

export function judgeDocument(judged: Judged): Fault[] {
  if (judged.page.kind === 'text') return []
  return [robots, head, viewport, charset, refresh, language].flatMap(judge => judge(judged))
}

function robots({ page }: Judged): Fault[] {
  const orders = ['robots', 'googlebot', 'bingbot'].flatMap(name => metaOf(page, name))
  return orders.flatMap(element => {
    const content = flat(element.attributes.get('content') ?? '').toLowerCase()
    const words = content.split(/[\s,]+/)
    const has = (...any: string[]) => any.some(word => words.includes(word))
    const name = escaped(flat(element.attributes.get('name') ?? 'robots'))
    const open = `<meta name="${name}" content="index, follow">`
    const isContrary =
      (has('noindex', 'none') && has('index', 'all')) || (has('nofollow', 'none') && has('follow', 'all'))
    if (isContrary)
      return [changed(page, 'robots_conflict', element, `“${content.slice(0, 100)}” says yes and no at once.`, open)]
    if (has('noindex', 'none'))
      return [changed(page, 'robots_noindex', element, 'The page forbids search engines to index it.', open)]
    return []
  })
}

/** Metadata behind what ends the head. */
function head({ page }: Judged): Fault[] {
  const late = [
    ...named(page, 'title'),
    ...metaOf(page, 'robots'),
    ...metaOf(page, 'description'),
    ...linkedAs(page, 'canonical'),
    ...linkedAs(page, 'alternate').filter(({ attributes }) => attributes.has('hreflang')),
  ].filter(({ inHead }) => !inHead)
  return late.map(element =>
    changed(
      page,
      'head_broken',
      element,
      `The head has ended before this ${element.name} element, which belongs into it.`,
      `${page.raw.slice(element.start, Math.min(element.end, element.start + 500))} [within the head, before anything that is shown]`,
    ),
  )
}

function viewport({ page }: Judged): Fault[] {
  const good = '<meta name="viewport" content="width=device-width, initial-scale=1">'
  const [element] = metaOf(page, 'viewport')
  if (!element)
    return [added('viewport_missing', headOf(page), 'The page does not say that it fits small screens.', good)]
  const content = (element.attributes.get('content') ?? '').toLowerCase()
  const most = /maximum-scale\s*=\s*([\d.]{1,10})/.exec(content)?.[1]
  const isFixed = /user-scalable\s*=\s*(?:no|0)/.test(content) || (most !== undefined && Number(most) < 2)
  if (isFixed) return [changed(page, 'viewport_fixed', element, 'Readers can’t zoom in.', good)]
  if (content.includes('width')) return []
  return [changed(page, 'viewport_missing', element, 'The viewport names no width.', good)]
}

function charset({ page }: Judged): Fault[] {
  const isDeclared = named(page, 'meta').some(
    ({ attributes }) =>
      attributes.has('charset') ||
      (attributes.get('http-equiv')?.toLowerCase() === 'content-type' &&
        /charset/i.test(attributes.get('content') ?? '')),
  )
  if (isDeclared || page.raw.startsWith('\ufeff')) return []
  return [
    added('charset_missing', headOf(page), 'The page does not say in which encoding it is.', '<meta charset="utf-8">'),
  ]
}

function refresh({ page }: Judged): Fault[] {
  return named(page, 'meta')
    .filter(({ attributes }) => attributes.get('http-equiv')?.toLowerCase() === 'refresh')
    .map(element => changed(page, 'refresh', element, 'The page leads away or reloads by itself.', ''))
}

/** Content shorter than this does not say in which language it is. */
const SHORTEST = 200

function language({ page, language: found }: Judged): Fault[] {
  const [element] = named(page, 'html')
  const declared = element?.attributes.get('lang')?.trim() ?? ''
  const known = found === 'und' ? '[the language, such as en]' : found
  const fixed = element ? page.raw.slice(element.start, element.tagEnd).slice(0, 500) : '<html>'
  const withLanguage = (tag: string) =>
    /\slang\s*=/i.test(fixed)
      ? fixed.replace(/\slang\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)/i, () => ` lang="${tag}"`)
      : fixed.replace(/^<html/i, () => `<html lang="${tag}"`)
  const place = element ? { start: element.start, end: element.tagEnd } : headOf(page)
  if (declared === '')
    return [
      element
        ? changed(
            page,
            'language_missing',
            place,
            'The page does not say in which language it is.',
            withLanguage(known),
          )
        : added('language_missing', place, 'The page does not say in which language it is.', `<html lang="${known}">`),
    ]
  if (languageName(declared) === undefined)
    return [changed(page, 'language_invalid', place, `“${declared.slice(0, 40)}” is no language.`, withLanguage(known))]
  const characters = page.blocks.reduce((sum, { text }) => sum + text.length, 0)
  const primary = new Intl.Locale(declared).language
  if (found === 'und' || characters < SHORTEST || found === primary || sameWriting(found, primary)) return []
  const message = `The page says that it is in ${languageName(primary)}; its text is in ${languageName(found) ?? found}.`
  return [changed(page, 'language_wrong', place, message, withLanguage(found))]
}

/** Languages too near to each other to be told apart by a program. */
const near = [
  'no nb nn da',
  'hr sr bs sl',
  'id ms',
  'cs sk',
  'pt gl es ca',
  'af nl',
  'ru uk be bg mk',
  'hi mr ne',
  'ar fa ur',
].map(group => group.split(' '))
const sameWriting = (a: string, b: string) => near.some(group => group.includes(a) && group.includes(b))
