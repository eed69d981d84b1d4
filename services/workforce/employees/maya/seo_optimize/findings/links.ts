import { flat, isTagged, linkedAs, named, type PageElement } from '../page/page.ts'
import { changed, type Fault, type Judged } from './fault.ts'

/** Whether it is kept from screen readers and leads nowhere else, as the numbers of lines that programs put beside code. */
const isSetAside = ({ attributes }: PageElement): boolean =>
  attributes.get('aria-hidden')?.trim().toLowerCase() === 'true' &&
  attributes.get('href')?.trim().startsWith('#') === true

/** Texts that would fit any link, in the languages that are met most. */
const vague = new Set(
  [
    'click here, here, read more, more, learn more, this link, this page, link, continue, details, see more, find out more, click, go',
    'hier, hier klicken, klicken sie hier, mehr, mehr erfahren, weiter, weiterlesen, mehr lesen, dieser link',
    'ici, cliquez ici, en savoir plus, lire la suite, plus, suite',
    'aquí, haz clic aquí, leer más, más, más información, ver más',
    'qui, clicca qui, leggi di più, scopri di più, altro',
    'hier klikken, lees meer, meer, klik hier',
    'aqui, clique aqui, leia mais, saiba mais',
  ].flatMap(list => list.split(', ')),
)

export function judgeLinks({ page, brief }: Judged): Fault[] {
  const isSecure = isEncrypted(brief.input.url ?? linkedAs(page, 'canonical')[0]?.attributes.get('href'))
  return named(page, 'a')
    .filter(({ attributes }) => attributes.has('href'))
    .flatMap(link => judge(link))

  function judge(link: PageElement): Fault[] {
    const { attributes } = link
    const href = attributes.get('href')?.trim() ?? ''
    const text = flat(link.text) || flat(attributes.get('aria-label') ?? '') || flat(attributes.get('title') ?? '')
    const found = (rule: Fault['rule'], message: string, after: string) => changed(page, rule, link, message, after)
    const withText = (name: string) =>
      isTagged(page, link)
        ? `${page.raw.slice(link.start, link.tagEnd).slice(0, 800)}${name}</a>`
        : `[${name}](${href})`
    return [
      ...(text === '' && attributes.get('aria-labelledby') === undefined && !isSetAside(link)
        ? [found('link_empty', 'The link has no text.', withText('[where it leads]'))]
        : []),
      ...(vague.has(text.toLowerCase().replace(/[\s.!…»›→>]{1,20}$/, ''))
        ? [
            found(
              'link_vague',
              `“${text}” does not say where the link leads.`,
              withText('[what the reader finds there]'),
            ),
          ]
        : []),
      ...(/^javascript:/i.test(href) && !/^javascript:\s*(?:void|;|$)/i.test(href) ? [script()] : []),
      ...(isDead(href)
        ? [
            found(
              'link_dead',
              `Nothing on the page has the id “${href.slice(1, 100)}”.`,
              withText(link.text).replace(href, () => '#[the id of the place]'),
            ),
          ]
        : []),
      ...(isSecure && /^http:\/\//i.test(href)
        ? [
            found(
              'link_unencrypted',
              'The link leads to an address without encryption.',
              page.raw.slice(link.start, Math.min(link.end, link.start + 800)).replace(/http:\/\//i, 'https://'),
            ),
          ]
        : []),
    ]

    function script(): Fault {
      return found(
        'link_script',
        'The link is a script.',
        `<a href="[an address]">${flat(link.text).slice(0, 200)}</a>`,
      )
    }
  }

  function isDead(href: string): boolean {
    if (page.kind === 'text' || !/^#./.test(href) || href.toLowerCase() === '#top') return false
    const id = href.slice(1)
    return !page.ids.has(id) && !page.ids.has(decoded(id)) && !/^:~:text=|^[!/]/.test(id)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isEncrypted = (address: string | undefined): boolean => address?.trim().startsWith('https:') ?? false
