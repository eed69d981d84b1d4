/** What looks like a password or a key, in any language. */

/** A key in one of the forms that services give out. */
export const looksSecret = (value: string): boolean =>
  /^(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}$|^AKIA[A-Z0-9]{16}$|^gh[pousr]_[A-Za-z0-9]{30,}$|^xox[abprs]-[A-Za-z0-9-]{10,}$|^AIza[A-Za-z0-9_-]{35}$|^glpat-[A-Za-z0-9_-]{20,}$|^-----BEGIN [A-Z ]*PRIVATE KEY-----|^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./.test(
    value,
  )

/** A literal under a name for secrets, that is no placeholder, no word and no reference. */
export const secretName = (name: string, value: string): boolean =>
  /(^|_|[a-z])(password|passwd|pwd|secret|api_?key|private_?key|access_?token|auth_?token)$/i.test(name) &&
  value.length >= 8 &&
  /\d/.test(value) &&
  /[a-z]/i.test(value) &&
  !isPlaceholder(value) &&
  !/(?:^|[^a-z])test(?:[^a-z]|$)|[<>${}\s]/i.test(value)

/** What documentation writes in the place of a secret, as whole words. */
export const isPlaceholder = (value: string): boolean =>
  /(?:^|[^a-z])(?:example|change-?me|placeholder|dummy)(?:[^a-z]|$)|(?:^|[^a-z])your[-_ ]/i.test(value)
