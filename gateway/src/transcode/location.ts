/** The `Location` of what a call made. */
import type { DescMessage } from '@bufbuild/protobuf'

/**
 * Compiles a path with fields of the answer in braces, such as `/v1/tasks/{id}`.
 * Throws where the answer has no such field.
 */
export function locationOf(template: string, output: DescMessage): (message: object) => string {
  const [start = '', ...rest] = template.split('{')
  const parts = rest.map(part => {
    const [name = '', text = ''] = part.split('}')
    const field = output.fields.find(field => field.name === name)
    if (!field) throw new Error(`${output.typeName} has no field ${name}, which ${template} names`)
    return { field: field.localName, text }
  })
  return message => {
    let location = start
    for (const { field, text } of parts) {
      location += encodeURIComponent(String((message as Record<string, unknown>)[field])) + text
    }
    return location
  }
}
