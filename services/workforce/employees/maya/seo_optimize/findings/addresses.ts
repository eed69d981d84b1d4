/** Canonical address and addresses in other languages. */
import { linkedAs, type PageElement } from '../page/page.ts'
import { added, changed, escaped, type Fault, headOf, type Judged } from './fault.ts'
import { languageName } from './language-tag.ts'

export function judgeAddresses(judged: Judged): Fault[] {
  return judged.page.kind === 'text' ? [] : [...canonical(judged), ...hreflang(judged)]
}

function canonical({ page, brief }: Judged): Fault[] {
  const links = linkedAs(page, 'canonical')
  const { url } = brief.input
  const tag = (address: string) => `<link rel="canonical" href="${escaped(address)}">`
  const gap = onTheWeb(url) ?? '[the whole address of this page]'
  const [first, ...others] = links
  if (!first) return [added('canonical_missing', headOf(page), 'The page names no canonical address.', tag(gap))]
  const found = others.map(other =>
    changed(page, 'canonical_several', other, 'The page names more than one canonical address.', ''),
  )
  const address = hrefOf(first)
  const whole = URL.parse(address)
  if (!whole || !/^https?:$/.test(whole.protocol)) {
    const resolved = url === undefined ? undefined : onTheWeb(URL.parse(address, url)?.href)
    const fault = whole ? 'no address on the web' : 'not whole'
    const message = `The canonical address “${address.slice(0, 200)}” is ${fault}.`
    return [...found, changed(page, 'canonical_relative', first, message, tag(resolved ?? gap))]
  }
  const own = onTheWeb(url) === undefined ? undefined : URL.parse(url ?? '')
  if (!own || site(own) === site(whole)) return found
  const message = `The canonical address is of ${whole.hostname}; the page is of ${own.hostname}.`
  return [...found, changed(page, 'canonical_elsewhere', first, message, tag(own.href))]
}

function hreflang({ page, brief }: Judged): Fault[] {
  const links = linkedAs(page, 'alternate').filter(({ attributes }) => attributes.has('hreflang'))
  const tag = (language: string, address: string) =>
    `<link rel="alternate" hreflang="${escaped(language)}" href="${escaped(address)}">`
  const seen = new Map<string, string>()
  const found = links.flatMap(link => {
    const language = link.attributes.get('hreflang')?.trim() ?? ''
    const address = hrefOf(link)
    const known = seen.get(language.toLowerCase())
    if (known === undefined) seen.set(language.toLowerCase(), address)
    if (language.toLowerCase() !== 'x-default' && languageName(language) === undefined)
      return [
        changed(
          page,
          'hreflang_invalid',
          link,
          `“${language.slice(0, 40)}” is no language, or has a region that does not exist.`,
          tag(corrected(language), address),
        ),
      ]
    if (!/^https?:\/\//i.test(address)) {
      const resolved = onTheWeb(URL.parse(address, brief.input.url)?.href)
      const message = `The address for ${language} is not whole.`
      return [changed(page, 'hreflang_relative', link, message, tag(language, resolved ?? '[the whole address]'))]
    }
    if (known === undefined || known === address) return []
    return [changed(page, 'hreflang_several', link, `There are two addresses for ${language}.`, '')]
  })
  return [...found, ...self(links)]

  function self(among: readonly PageElement[]): Fault[] {
    const own = brief.input.url ?? linkedAs(page, 'canonical').map(hrefOf)[0]
    const [first] = among
    if (!first || own === undefined || !URL.canParse(own)) return []
    const same = (address: string) => URL.parse(address, own)?.href === URL.parse(own)?.href
    if (among.some(link => same(hrefOf(link)))) return []
    return [
      added(
        'hreflang_self_missing',
        first,
        'The page does not name itself among its languages.',
        tag('[the language of this page]', own),
      ),
    ]
  }
}

/** Only such an address can be found by a search engine. */
const onTheWeb = (address: string | undefined): string | undefined =>
  address !== undefined && /^https?:\/\//i.test(address) ? address : undefined

const hrefOf = ({ attributes }: PageElement): string => attributes.get('href')?.trim() ?? ''

const site = ({ hostname }: URL) => hostname.replace(/^www\./, '')

/** What somebody meant who wrote `en-UK` or `en_GB`. */
function corrected(language: string): string {
  const gap = '[a language, such as en or en-GB]'
  try {
    const canonical = Intl.getCanonicalLocales(language.replace('_', '-'))[0] ?? gap
    return languageName(canonical) === undefined ? gap : canonical
  } catch {
    return gap
  }
}
