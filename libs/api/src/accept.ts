/** What a caller would rather have, by `Accept` (RFC 9110, section 12.5.1). */

/** How much each range is wanted, from 0 to 1, by its media type in lower case. */
export type Qualities = ReadonlyMap<string, number>

export const qualities = (accept: string): Qualities => new Map(accept.split(',').map(rangeOf))

/** How much a media type is wanted, by the most specific range that has it. */
export const qualityOf = (type: string, asked: Qualities): number =>
  asked.get(type) ?? asked.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? asked.get('*/*') ?? 0

function rangeOf(range: string): [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.map(parameter => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean)
  return [type, Number(quality ?? 1)]
}
