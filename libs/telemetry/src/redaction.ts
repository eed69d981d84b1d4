/** Redaction of the log: which fields hold a secret or the contents of a user, by their names. */

/** What stands in the place of the value. */
export const REDACTED = '[redacted]'

/** Names that mean a secret wherever they stand in a name: `password_hash`, `setCookie`. */
const secretWords = /^(authorization|cookies?|credentials?|passphrase|passwords?|secrets?)$/

/** Names that mean one where they end it: `api_key` does, `key_id` and `input_tokens` do not. */
const secretEnds = /^(apikey|inputs?|keys?|outputs?|token)$/

/** Names seen before: a program has few, and taking one apart costs more than the rest of a line. */
const seenNames = new Map<string, boolean>()
const MAX_SEEN_NAMES = 1_000

/** Whether the value of a field with this name is left out of the log. */
export function isSecretName(name: string): boolean {
  let secret = seenNames.get(name)
  if (secret === undefined) {
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
    secret = words.some(word => secretWords.test(word)) || secretEnds.test(words.at(-1) ?? '')
    if (seenNames.size < MAX_SEEN_NAMES) seenNames.set(name, secret)
  }
  return secret
}
