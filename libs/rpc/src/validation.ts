/** Checks requests against the `buf.validate` rules of the contract. */
import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { type Fault, failFaults } from '@millhand/api'
import { faultOf } from './fault.ts'

const validator = createValidator()

/** Compiles the rules of a message. @throws Error when one does not compile */
export function compile(desc: DescMessage): void {
  const result = validator.validate(desc, create(desc))
  if (result.kind === 'error') throw result.error
}

/** @throws ConnectError that names every fault, not the first */
export function check<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): void {
  const [first, ...others] = violations(desc, request)
  if (first) throw failFaults([first, ...others])
}

/** Everything in which a message breaks the rules of the contract. */
export function violations<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): readonly Fault[] {
  const result = validator.validate(desc, request)
  if (result.kind === 'valid') return none
  if (result.kind === 'error') throw result.error
  return result.violations.map(violation => faultOf(violation, request, desc))
}

const none: readonly Fault[] = []
