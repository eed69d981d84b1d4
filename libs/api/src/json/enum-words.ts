import { type DescEnum, type DescField, getOption } from '@bufbuild/protobuf'
import { field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'

/** An enum's words in public JSON, by number: `TASK_STATUS_QUEUED` is `queued`. The unspecified value has none. */
export function enumWords(desc: DescEnum): ReadonlyMap<number, string> {
  const prefix = desc.sharedPrefix?.toUpperCase() ?? ''
  const named = desc.values.filter(({ number }) => number !== 0)
  return new Map(named.map(({ number, name }) => [number, name.slice(prefix.length).toLowerCase()]))
}

/** Those that the rules of a field allow, also of a list or a map of them; none where it is no enum. */
export function allowedWords(field: DescField): string[] {
  if (field.enum === undefined) return []
  const { type } = getOption(field, rules)
  const value = type.case === 'repeated' ? type.value.items?.type : type.case === 'map' ? type.value.values?.type : type
  const { in: only, notIn } = value?.case === 'enum' ? value.value : none
  const isAllowed = (number: number) => (only.length === 0 || only.includes(number)) && !notIn.includes(number)
  return [...enumWords(field.enum)].flatMap(([number, word]) => (isAllowed(number) ? [word] : []))
}

const none: { readonly in: readonly number[]; readonly notIn: readonly number[] } = { in: [], notIn: [] }
