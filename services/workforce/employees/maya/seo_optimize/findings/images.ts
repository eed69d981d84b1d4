import { flat, isTagged, named, type PageElement } from '../page/page.ts'
import { changed, escaped, type Fault, type Judged, withoutData } from './fault.ts'

const LONGEST_ALTERNATIVE = 150

export function judgeImages({ page, brief }: Judged): Fault[] {
  const isSecure = brief.input.url?.startsWith('https:') ?? false
  return named(page, 'img').flatMap(image => {
    const { attributes } = image
    const alternative = attributes.get('alt')
    const source = attributes.get('src')?.trim() ?? ''
    const found = (rule: Fault['rule'], message: string, after: string) => changed(page, rule, image, message, after)
    const isShown = attributes.get('role') !== 'presentation' && attributes.get('aria-hidden') !== 'true'
    const text = flat(alternative ?? '')
    return [
      ...(isShown && (alternative === undefined || (!isTagged(page, image) && text === ''))
        ? [found('image_alternative_missing', 'The picture has no alternative.', withAlternative(image))]
        : []),
      ...(isFileName(text)
        ? [found('image_alternative_file', `“${text.slice(0, 100)}” is the name of a file.`, withAlternative(image))]
        : []),
      ...(text.length > LONGEST_ALTERNATIVE
        ? [
            found(
              'image_alternative_long',
              `The alternative has ${text.length} characters; ${LONGEST_ALTERNATIVE} are enough.`,
              withAlternative(image, '[the same in one short sentence]'),
            ),
          ]
        : []),
      ...(isSecure && /^http:\/\//i.test(source)
        ? [
            found(
              'image_unencrypted',
              'The picture is loaded without encryption.',
              rawOf(image).replace(/http:\/\//i, 'https://'),
            ),
          ]
        : []),
      ...(page.kind === 'html' && source !== '' && !hasSize(image)
        ? [
            found(
              'image_size_missing',
              'The picture has no width and height.',
              rawOf(image).replace(/\s*\/?>$/, ' width="[pixels]" height="[pixels]">'),
            ),
          ]
        : []),
    ]
  })

  function rawOf(image: PageElement): string {
    return withoutData(page.raw.slice(image.start, image.tagEnd)).slice(0, 800)
  }

  function withAlternative(
    image: PageElement,
    gap = '[what the picture shows; nothing where it only decorates]',
  ): string {
    const source = image.attributes.get('src') ?? ''
    if (!isTagged(page, image)) return `![${gap}](${source})`
    const rest = [...image.attributes]
      .filter(([name]) => name !== 'alt' && /^[a-z][\w-]*$/.test(name))
      .slice(0, 20)
      .map(([name, value]) => ` ${name}="${escaped(value.slice(0, 500))}"`)
    return `<img${rest.join('')} alt="${gap}">`
  }
}

const isFileName = (text: string) =>
  /\.(?:jpe?g|png|gif|webp|avif|svg)$/i.test(text) ||
  /^(?:img|dsc|dscn|dcim|pxl|screenshot|image|photo)[\s_-]?\d+$/i.test(text)

/** By attributes, or by a style of its own. */
const hasSize = ({ attributes }: PageElement) =>
  (attributes.has('width') && attributes.has('height')) ||
  /(?:width|height|aspect-ratio)\s*:/i.test(attributes.get('style')?.slice(0, 1_000) ?? '')
