import { type DescField, getOption } from '@bufbuild/protobuf'
import { field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'

/** Of a list whose items must differ and whose rules set no bound: more than any enum has values. */
const MOST_UNIQUE = 100

/** The most entries that a list or a map may have by its `buf.validate` rules; undefined where they set no bound. */
export function mostEntries(field: DescField): number | undefined {
  const { type } = getOption(field, rules)
  const most = type.case === 'repeated' ? type.value.maxItems : type.case === 'map' ? type.value.maxPairs : 0n
  // Zero is also what a rule that is not set reads as; no field of the contract must be empty.
  if (most !== 0n) return Number(most)
  return type.case === 'repeated' && type.value.unique ? MOST_UNIQUE : undefined
}

/** What is wrong with a list or a map of more entries, in the words of the rule itself. */
export const tooManyEntries = ({ fieldKind }: DescField, most: number): string =>
  fieldKind === 'map' ? `must have at most ${most} entries` : `must contain no more than ${most} item(s)`
