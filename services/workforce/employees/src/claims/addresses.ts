/** Addresses of a text, and whether they were given. */

/** Links, mail addresses, hosts without a scheme, names with an @ and tags. */
const address =
  /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?]|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{2,63}){1,4}|(?<![\p{L}\p{N}@./_-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,4}(?:com|org|net|io|eu|info|biz|shop|store|app|dev|ai|co|uk|de|fr|nl|be|at|ch|es|it|pl|se|dk|no|fi|ie|ca|au|us|me|ly|to|example)(?![\p{L}\p{N}_-]|\.\p{L})(?:\/[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?])?|(?<![\p{L}\p{N}])[@#][\p{L}\p{N}_]{1,100}/giu

/** Addresses of a text, in the form in which they are compared. */
export const addressesOf = (text: string): ReadonlySet<string> => new Set((text.match(address) ?? []).map(comparable))

/** Those that were not given as a whole: what begins alike is another address. */
export const addressesIn = (text: string, addresses: ReadonlySet<string>): string[] =>
  (text.match(address) ?? []).filter(one => !addresses.has(comparable(one)))

const comparable = (one: string): string =>
  one
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')
