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
