/** The English name of a language by its BCP 47 tag; undefined where no such language, script or region exists. */
export function languageName(tag: string): string | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag)
    const isWritten = (tag.split('-')[0] ?? '').toLowerCase() === language
    if (
      !isWritten ||
      (region !== undefined && (regions.of(region) === undefined || !tag.toUpperCase().includes(region)))
    )
      return undefined
    if (script !== undefined && scripts.of(script) === undefined) return undefined
    return languages.of(language)
  } catch {
    return undefined
  }
}

const names = (type: 'language' | 'region' | 'script') => new Intl.DisplayNames(['en'], { type, fallback: 'none' })
const languages = names('language')
const regions = names('region')
const scripts = names('script')
