/** Addresses of a text, and whether they were given. */

/** Links, mail addresses, hosts without a scheme, names with an @ and tags. */
const address =
  /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?]|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{2,63}){1,4}|(?<![\p{L}\p{N}@./_-])(?:(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}(?:xn--[a-z\d-]{2,59}|\p{L}{2,24})(?![\p{L}\p{N}_-]|\.\p{L})|\d{1,3}(?:\.\d{1,3}){3}(?=[:/]))(?::\d{1,5})?(?:\/[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?])?|(?<![\p{L}\p{N}])[@#][\p{L}\p{N}_]{1,100}/giu

/** Addresses of a text, in the form in which they are compared. */
export const addressesOf = (text: string): ReadonlySet<string> => new Set(writtenIn(text).map(comparable))

/** Those that were not given as a whole: what begins alike is another address. */
export const addressesIn = (text: string, addresses: ReadonlySet<string>, letters = ''): string[] =>
  writtenIn(text).filter(one => !addresses.has(comparable(one)) && !isTagOf(one, letters))

/** “#SingleOrigin” of “single-origin”. */
const isTagOf = (one: string, letters: string): boolean =>
  one.startsWith('#') && letters.includes(one.slice(1).toLowerCase())

const writtenIn = (text: string): string[] => (text.match(address) ?? []).filter(one => !isOtherwise(one))

/** What has the form of a host and is a file, an abbreviation, or the end of a sentence without a space: “done.Then”. */
function isOtherwise(one: string): boolean {
  const [, host = '', before = '', last = '', behind = ''] = hostParts.exec(one) ?? []
  if (host === '' || common.test(last)) return false
  if (files.test(last)) return true
  if (behind !== '') return false
  return (
    filesAndDomains.test(last) ||
    openers.test(last) ||
    !/\p{L}/u.test(before) ||
    before.length === 1 ||
    (/^\p{Lu}\p{Ll}/u.test(last) && (!/^\p{Lu}/u.test(before) || titles.test(before)))
  )
}

/** A host, its last two labels, and the port or path behind it. */
const hostParts = /^((?:[\p{L}\p{N}-]+\.)*([\p{L}\p{N}-]+)\.(\p{L}+))([:/].*)?$/su
/** Top-level domains that are read as such whatever stands before. */
const common =
  /^(?:com|org|net|io|eu|info|biz|shop|store|app|dev|ai|co|uk|de|fr|nl|be|at|ch|es|it|pl|se|dk|no|fi|ie|ca|au|us|me|ly|to|example)$/i
const files =
  /^(?:pdf|docx?|xlsx?|pptx?|csv|tsv|txt|jpe?g|png|gif|svg|webp|heic|tiff?|bmp|wav|avi|json|ya?ml|xml|html?|css|[cm]?[jt]sx?|java|php|sql|exe|dmg|apk|log|ini|toml|bak|ics|vcf|eml|epub|od[st]|rtf|psd|eps|ttf|woff|parquet|tar|gz)$/i
const filesAndDomains = /^(?:md|py|rs|sh|zip|mov|go|rb|so)$/i
const openers =
  /^(?:the|then|and|but|or|we|you|this|that|these|those|if|when|our|your|they|he|she|there|as|please|for|with|from|not|is|are|was|by)$/i
const titles = /^(?:dr|mrs?|ms|st|prof|nr|ltd|inc)$/i

const comparable = (one: string): string =>
  one
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')
