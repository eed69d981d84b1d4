/** Checks requests against the `buf.validate` rules of the contract, with the code that is generated from them. */
import type { DescFile, DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type Fault, failIf, maxFaults } from '@millhand/api'
import { checks } from '../gen/checks.ts'
import { type BrokenRule, type Check, faultOf } from './broken-rule.ts'

/** @throws Error when nothing was generated for a message that may have rules, so that none goes unchecked */
export function assertHasCheck({ typeName, file }: DescMessage): void {
  if (checks.has(typeName) || !mayHaveRules(file)) return
  throw new Error(`${typeName} has no generated check: run pnpm generate`)
}

const mayHaveRules = ({ proto, dependencies }: DescFile): boolean =>
  proto.dependency.includes('buf/validate/validate.proto') || dependencies.some(mayHaveRules)

/** @throws ConnectError that names every fault that an answer can show, not the first */
export function check<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): void {
  failIf(violations(desc, request))
}

/**
 * In what a message breaks the rules of the contract: at most as many faults as an answer shows, and one more. What is
 * over a bound of size is one fault, and none of the other rules is checked on it, so the cost has a bound too.
 */
export function violations<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): readonly Fault[] {
  const generated = checks.get(desc.typeName)
  if (generated === undefined) {
    assertHasCheck(desc)
    return valid
  }
  const broken: BrokenRule[] = []
  ;(generated as Check<MessageShape<Desc>>)(request, broken)
  return broken.length === 0 ? valid : broken.slice(0, maxFaults + 1).map(faultOf)
}

const valid: readonly Fault[] = []
