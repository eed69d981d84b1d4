/** Plans as they are written on the command line: `compute=growth developer=pro`. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Family, families } from '@millhand/api'
import type { PlansSchema } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { UsageError } from './command.ts'

export const planArguments = 'compute=<plan> developer=<plan> workforce=<plan>'

/** Which plan of which family. @throws UsageError */
export function plansOf(words: readonly string[]): MessageInitShape<typeof PlansSchema> {
  const plans: Partial<Record<Family, string>> = {}
  for (const word of words) {
    const [family, plan = '', ...more] = word.split('=')
    const known = families.find(each => each === family)
    if (known === undefined || plan === '' || more.length > 0) {
      throw new UsageError(`“${word}” is no plan of a family: write some of ${planArguments}.`)
    }
    if (plans[known] !== undefined) throw new UsageError(`The plan of ${known} is there twice.`)
    plans[known] = plan
  }
  return plans
}
