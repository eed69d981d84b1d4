import { type AnyDesc, type DescMessage, isFieldSet, type Message } from '@bufbuild/protobuf'

/** @throws Error where rules have one that is not among `names`, or one that this version of protovalidate does not know */
export function allow(of: AnyDesc, schema: DescMessage, rules: Message, names: readonly string[]): void {
  for (const rule of schema.fields) {
    if (isFieldSet(rules, rule) && !names.includes(rule.name)) {
      throw new Error(`${of}: no code for buf.validate ${schema.name}.${rule.name}`)
    }
  }
  if (rules.$unknown?.length) throw new Error(`${of}: no code for an unknown rule of buf.validate ${schema.name}`)
}
