/** Checks requests against the `buf.validate` rules of the contract. */
import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { type Fault, failFaults, isWithin, maxFaults } from '@millhand/api'
import { faultOf } from './field-violation.ts'
import { withoutOversize } from './request-limits.ts'

/**
 * Patterns are the contract's own, none is a caller's, so V8's engine matches them: RE2 in JavaScript, the default, made
 * 4,300 calls a task. A test holds each pattern to a time proportional to the text.
 */
const validator = createValidator({ regexMatch: (pattern, text) => compiled(pattern).test(text) })

const patterns = new Map<string, RegExp>()

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known
}

/** Compiles the rules of a message. @throws Error when one does not compile */
export function compile(desc: DescMessage): void {
  const result = validator.validate(desc, create(desc))
  if (result.kind === 'error') throw result.error
}

/** @throws ConnectError that names every fault that an answer can show, not the first */
export function check<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): void {
  const [first, ...others] = violations(desc, request)
  if (first) throw failFaults([first, ...others])
}

/**
 * In what a message breaks the rules of the contract: at most as many faults as an answer shows, and one more. What is
 * over a bound of size is one fault, and none of the other rules is checked on it, so the cost has a bound too.
 */
export function violations<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): readonly Fault[] {
  const oversize: Fault[] = []
  const rest = withoutOversize(desc, request, oversize)
  const result = validator.validate(desc, rest)
  if (result.kind === 'valid') return oversize
  if (result.kind === 'error') throw result.error
  const broken = result.violations.slice(0, maxFaults + 1).map(violation => faultOf(violation, rest, desc))
  return [...oversize, ...broken.filter(({ param }) => !oversize.some(fault => isWithin(param, fault.param)))]
}
