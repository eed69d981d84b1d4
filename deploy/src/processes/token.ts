/** `pnpm serve token <service>`: what a process of that service shows to others. */
import { grants, mintServiceToken } from '@millhand/rpc/network'
import { ConfigurationError, configuration } from '@millhand/runner'
import { variables } from '../variables.ts'
import { trusted } from './between.ts'

const read = configuration(trusted, Object.keys(variables))

/** @throws ConfigurationError */
export function token(service: string, env: NodeJS.ProcessEnv): string {
  const set = read(env)
  const known = Object.keys(grants)
  if (!known.includes(service)) throw new ConfigurationError([`A token is made for one of ${known.join(', ')}.`])
  return mintServiceToken(Buffer.from(set.MILLHAND_SECRET_KEY.reveal()), grants[service as keyof typeof grants])
}
