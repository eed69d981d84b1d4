import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fromBinary } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'

/** The comment on a message, field, enum, enum value, service or method, by its full name; empty where it has none. */
export type Comments = (fullName: string) => string

/** The comments of the contract. The generated TypeScript does not carry them, so `buf` reads the proto files. */
export function protoComments(): Comments {
  const buf = fileURLToPath(new URL('../../../../proto/node_modules/.bin/buf', import.meta.url))
  const proto = fileURLToPath(new URL('../../../../proto', import.meta.url))
  const image = execFileSync(buf, ['build', proto, '--as-file-descriptor-set', '-o', '-'], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const comments = new Map<string, string>()
  for (const file of fromBinary(FileDescriptorSetSchema, image).file) collect(file, comments)
  return fullName => comments.get(fullName) ?? ''
}

/** Numbers of the fields of FileDescriptorProto and its parts, which make up a location's path. */
const FILE_MESSAGE = 4
const FILE_ENUM = 5
const FILE_SERVICE = 6
const MESSAGE_FIELD = 2
const MESSAGE_NESTED = 3
const MESSAGE_ENUM = 4
const ENUM_VALUE = 2
const SERVICE_METHOD = 2

function collect(file: FileDescriptorProto, comments: Map<string, string>): void {
  const texts = new Map<string, string>()
  for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
    if (leadingComments !== '') texts.set(path.join(), unwrapped(leadingComments))
  }
  const note = (fullName: string, path: readonly number[]) => {
    const text = texts.get(path.join())
    if (text !== undefined) comments.set(fullName, text)
  }
  const noteEnum = (scope: string, { name, value }: EnumDescriptorProto, path: readonly number[]) => {
    note(`${scope}.${name}`, path)
    value.forEach((one, at) => {
      note(`${scope}.${name}.${one.name}`, [...path, ENUM_VALUE, at])
    })
  }
  const noteMessage = (scope: string, message: DescriptorProto, path: readonly number[]) => {
    const name = `${scope}.${message.name}`
    note(name, path)
    message.field.forEach((field, at) => {
      note(`${name}.${field.name}`, [...path, MESSAGE_FIELD, at])
    })
    message.nestedType.forEach((nested, at) => {
      noteMessage(name, nested, [...path, MESSAGE_NESTED, at])
    })
    message.enumType.forEach((nested, at) => {
      noteEnum(name, nested, [...path, MESSAGE_ENUM, at])
    })
  }
  file.messageType.forEach((message, at) => {
    noteMessage(file.package, message, [FILE_MESSAGE, at])
  })
  file.enumType.forEach((one, at) => {
    noteEnum(file.package, one, [FILE_ENUM, at])
  })
  file.service.forEach(({ name, method }, at) => {
    note(`${file.package}.${name}`, [FILE_SERVICE, at])
    method.forEach((one, index) => {
      note(`${file.package}.${name}.${one.name}`, [FILE_SERVICE, at, SERVICE_METHOD, index])
    })
  })
}

/** Lines of one paragraph belong together; where they break in the proto file means nothing. */
function unwrapped(comment: string): string {
  return comment
    .split('\n')
    .map(line => line.trim())
    .join('\n')
    .trim()
    .replace(/(?<!\n)\n(?!\n)/g, ' ')
}
