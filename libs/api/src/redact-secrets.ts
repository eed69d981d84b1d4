/**
 * The text with our secrets in it made unreadable, wherever they came from: API keys, secrets of consumers and webhooks, service
 * tokens, stream tokens and the payment processor's keys. Of which kind each was stays readable. One in percent-encoding, as paths have it, is found
 * too: the text comes back decoded then, as far as secrets are made of it, so that JSON stays JSON.
 */
export function withoutSecrets(text: string): string {
  const plain = decoded(text)
  const safe = plain.replace(secrets, '$1$2$3[redacted]')
  return safe === plain ? text : safe
}

function decoded(text: string): string {
  let plain = text
  for (let times = 0; times < TIMES && plain.includes('%'); times++) {
    plain = plain.replace(encoded, (whole, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16))
      return ofSecrets.test(character) ? character : whole
    })
  }
  return plain
}

/** An encoded `%` may be encoded again, however often: `%255f`. Those whose digits are encoded are found at the next time. */
const encoded = /%(?:25)*([2-7][\da-f])/gi
const TIMES = 4
const ofSecrets = /[\w.+/=%-]/

/** Shorter ones are no secrets: they are the prefixes that keys are recognised by, or somebody's words about them. */
const secrets =
  /(mh_live_|mh_test_|mhc_)[0-9A-Za-z]{8,}|(whsec_|whsk_|[rs]k_live_|[rs]k_test_)[\w+/=-]{8,}|(mhs_|mht_)[\w.-]{8,}/g
