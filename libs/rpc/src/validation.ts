/** Checks requests against the `buf.validate` rules of the contract. */
import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { type Fault, fail } from '@millhand/api'
import { faultOf } from './fault.ts'

const validator = createValidator()

/** Compiles the rules of a message. @throws Error when one does not compile */
export function compile(desc: DescMessage): void {
  const result = validator.validate(desc, create(desc))
  if (result.kind === 'error') throw result.error
}

/**
 * @throws ConnectError `missing_parameter`, when all that is wrong is that fields are missing; `payload_too_large`, when
 * all that is wrong is the size of fields; else `invalid_parameter`. It names every fault, not the first.
 */
export function check<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): void {
  const result = validator.validate(desc, request)
  if (result.kind === 'valid') return
  if (result.kind === 'error') throw result.error
  throw refusal(result.violations.map(violation => faultOf(violation, request, desc)))
}

function refusal(faults: Fault[]) {
  const all = (code: string) => faults.every(fault => fault.code === code)
  const code = all('required') ? 'missing_parameter' : all('too_large') ? 'payload_too_large' : 'invalid_parameter'
  const [first] = faults
  return fail(code, detail(faults), { ...(first && { param: first.param }), errors: faults })
}

const SHOWN = 3

function detail(faults: Fault[]): string {
  const messages = faults.slice(0, SHOWN).map(fault => fault.message)
  if (faults.length > SHOWN) messages.push(`${faults.length - SHOWN} more in \`errors\`.`)
  return messages.join(' ')
}
