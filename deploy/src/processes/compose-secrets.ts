/** `pnpm serve compose-secrets`: every secret that `compose.yaml` asks for, as lines of the `.env` beside it. */
import { createCredentialsIssuer, deriveSecret } from '@millhand/rpc/network'
import { serviceNames, usesKafka } from '../services.ts'
import { credentialsOf, endOf, holders, noteOf, operatorSecret, type Printed } from './credentials.ts'

const passwords = [
  'MONGO_ROOT',
  'MONGO',
  'KAFKA_BROKER',
  ...serviceNames.filter(usesKafka).map(name => `KAFKA_${name.toUpperCase()}`),
]

/**
 * The same secret makes the same lines: what has been started once goes on with them. With `--days` the executors'
 * token ends, for they run what others send in; its line is another each time.
 *
 * @throws ConfigurationError
 */
export function composeSecrets(words: readonly string[], env: NodeJS.ProcessEnv): Printed {
  const expiresAt = endOf(words)
  const secret = operatorSecret(env)
  const issuer = createCredentialsIssuer(secret)
  const lines = holders.flatMap(service =>
    Object.entries(credentialsOf(issuer, service, service === 'executor' ? expiresAt : undefined)).map(
      ([name, value]) => `${service.toUpperCase()}${name.slice('MILLHAND'.length)}=${value}`,
    ),
  )
  for (const name of passwords) {
    lines.push(`${name}_PASSWORD=${deriveSecret(secret, `password of ${name}`).toString('base64url')}`)
  }
  return { lines: `${lines.join('\n')}\n`, ...noteOf('The token of the executors', expiresAt) }
}
