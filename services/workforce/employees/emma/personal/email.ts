import type { Found } from './found.ts'

const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253

/** Addresses, also those written `name [at] example.org` or `name at example dot org`. */
export function* emails(text: string): Iterable<Found> {
  for (const { 0: sign, index } of text.matchAll(signs)) {
    let start = index
    while (start > 0 && index - start < LONGEST_LOCAL && local.test(text.charAt(start - 1))) start--
    const domain = domainAt.exec(text.slice(index + sign.length, index + sign.length + LONGEST_DOMAIN))?.[0]
    const isSpoken = sign.trim().toLowerCase() !== 'at' || /\sdot\s/i.test(domain ?? '')
    if (start < index && domain && isSpoken) yield { kind: 'email', start, end: index + sign.length + domain.length }
  }
}

const signs = /@|\s?[[(]\s?at\s?[\])]\s?|(?<=\S)\sat\s(?=\S)/gi
const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
/** Each label once, so that a long one is not tried again and again. */
const domainAt = /^(?:[\p{L}\p{N}-]{1,63}(?:\.|\s?[[(]\s?(?:dot|punkt)\s?[\])]\s?|\sdot\s)){1,8}\p{L}{2,24}/iu
