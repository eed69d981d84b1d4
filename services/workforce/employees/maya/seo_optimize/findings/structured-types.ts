/** What common types of schema.org have to say to count: the fields that Google's guides to structured data require. `a|b` is either. */
export const required: Readonly<Record<string, readonly string[]>> = {
  AggregateRating: ['ratingValue', 'ratingCount|reviewCount'],
  Answer: ['text'],
  BreadcrumbList: ['itemListElement'],
  Course: ['name', 'description'],
  Dataset: ['name', 'description'],
  Event: ['name', 'startDate', 'location'],
  FAQPage: ['mainEntity'],
  ImageObject: ['contentUrl|url'],
  ItemList: ['itemListElement'],
  JobPosting: ['title', 'description', 'datePosted', 'hiringOrganization', 'jobLocation|applicantLocationRequirements'],
  LocalBusiness: ['name', 'address'],
  Offer: ['price|priceSpecification'],
  AggregateOffer: ['lowPrice', 'priceCurrency'],
  Product: ['name', 'offers|review|aggregateRating'],
  QAPage: ['mainEntity'],
  Question: ['name', 'acceptedAnswer|suggestedAnswer'],
  Rating: ['ratingValue'],
  Recipe: ['name', 'image'],
  Restaurant: ['name', 'address'],
  Review: ['author', 'reviewRating|reviewBody'],
  SoftwareApplication: ['name', 'offers'],
  Store: ['name', 'address'],
  VideoObject: ['name', 'thumbnailUrl', 'uploadDate'],
  WebSite: ['name', 'url'],
}

/** What the guides recommend, or schema.org's own examples never lack: without it the data counts, and says little. */
export const recommended: Readonly<Record<string, readonly string[]>> = {
  Article: ['headline'],
  BlogPosting: ['headline'],
  NewsArticle: ['headline'],
  Organization: ['name'],
  Person: ['name'],
}

/** Values that are something of their own: of which types, and what each has to say. */
const nested: Readonly<Record<string, { readonly types: string; readonly fields: Readonly<Record<string, string>> }>> =
  {
    offers: {
      types: 'Offer AggregateOffer OfferForLease OfferForPurchase',
      fields: { price: '[a number, such as 19.90]', priceCurrency: '[three letters, such as EUR]' },
    },
    review: {
      types: 'Review UserReview CriticReview EmployerReview ClaimReview',
      fields: { author: '[who wrote it]', reviewBody: '[what the review says]' },
    },
    aggregateRating: {
      types: 'AggregateRating EmployerAggregateRating',
      fields: { ratingValue: '[the mean, such as 4.4]', reviewCount: '[how many reviews]' },
    },
    reviewRating: { types: 'Rating AggregateRating EndorsementRating', fields: { ratingValue: '[the stars given]' } },
    acceptedAnswer: { types: 'Answer', fields: { text: '[the whole answer]' } },
    suggestedAnswer: { types: 'Answer', fields: { text: '[the whole answer]' } },
  }

/** Fields whose values have a form, whatever the type. */
export const forms: Readonly<Record<string, { readonly is: (value: unknown) => boolean; readonly asked: string }>> = {
  ...every('datePublished dateModified uploadDate datePosted validThrough startDate endDate priceValidUntil', {
    is: value => typeof value === 'string' && isDate(value),
    asked: 'a date such as 2026-03-01',
  }),
  ...every('prepTime cookTime totalTime duration', {
    is: value => typeof value === 'string' && /^P(?=.)(?:\d+[YMWD])*(?:T(?=.)(?:\d+(?:\.\d+)?[HMS])+)?$/.test(value),
    asked: 'a duration such as PT30M',
  }),
  ...every('price lowPrice highPrice', {
    is: value =>
      (typeof value === 'number' && value >= 0) || (typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value)),
    asked: 'a number with a dot and without a currency, such as 19.90',
  }),
  ...every('priceCurrency', {
    is: value => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
    asked: 'a code of three letters such as EUR',
  }),
  ...Object.fromEntries(
    Object.entries(nested).map(([name, { types }]) => {
      const [first = '', ...others] = types.split(' ')
      const is = (value: unknown) => isOf([first, ...others], value)
      return [name, { is, asked: `something of the type ${first}` }]
    }),
  ),
}

/** What to write for a field: something with a type where such is asked for, else a gap that says what belongs there. */
export function stubOf(name: string, asked: string): string | Readonly<Record<string, string>> {
  const own = Object.hasOwn(nested, name) ? nested[name] : undefined
  return own ? { '@type': own.types.split(' ')[0] ?? '', ...own.fields } : `[${asked}]`
}

/** Whether a value, or each of a list, is of one of the types, or names something that is said elsewhere. A list in a list is neither. */
function isOf(types: readonly string[], value: unknown): boolean {
  if (!Array.isArray(value)) return isOneOf(types, value)
  return value.length > 0 && value.slice(0, MOST_VALUES).every(one => isOneOf(types, one))
}

function isOneOf(types: readonly string[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const type = '@type' in value ? value['@type'] : undefined
  if (type === undefined) return '@id' in value
  return (Array.isArray(type) ? type : [type]).some(one => typeof one === 'string' && types.includes(typeOf(one)))
}

/** Of a list, so many are looked at. */
const MOST_VALUES = 100

/** The name of a type, without an address before it. */
export const typeOf = (type: string): string =>
  type
    .trim()
    .replace(/^https?:\/\/schema\.org\//i, '')
    .slice(0, 100)

/** The fields of a table that something of a type does not have. */
export function lackingOf(
  table: Readonly<Record<string, readonly string[]>>,
  type: string,
  has: (name: string) => boolean,
): readonly string[] {
  const asked = Object.hasOwn(table, type) ? (table[type] ?? []) : []
  return asked.filter(names => !names.split('|').some(has))
}

function every<Form>(names: string, form: Form): Record<string, Form> {
  return Object.fromEntries(names.split(' ').map(name => [name, form]))
}

/** ISO 8601: a day, with a time or without. */
function isDate(text: string): boolean {
  const day = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (!day) return false
  const date = new Date(`${day[1]}-${day[2]}-${day[3]}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day[3])
}
