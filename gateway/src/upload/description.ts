/** The description of an upload: the message that is sent before its bytes. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { queryReader } from '@millhand/api'
import { check } from '@millhand/rpc'
import { accepted } from '../transcode/request-reader.ts'

export type Description = MessageShape<DescMessage>
export type Pairs = readonly (readonly [name: string, value: string])[]

/**
 * Compiles a reader of names and values. `defaults` are values for fields that no pair sets. Its rules are checked here,
 * and not only by the service, so that nothing is sent in vain and faults are named as the caller knows them.
 */
export function descriptionReader(
  desc: DescMessage,
): (pairs: Pairs, defaults: Readonly<Record<string, string | undefined>>) => Description {
  const read = queryReader(desc)
  return (pairs, defaults) => {
    const whole = [...pairs]
    for (const [name, value] of Object.entries(defaults)) {
      if (value !== undefined && !pairs.some(([said]) => said === name)) whole.push([name, value])
    }
    const description = accepted(desc, read(whole))
    check(desc, description)
    return description
  }
}
