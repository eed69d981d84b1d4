/** Finds what reflection is asked for in the descriptors of the services that are served. */
import { createRegistry, type DescFile, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

export interface DescriptorIndex {
  /** By its path, for example `google/protobuf/any.proto`. */
  byName(name: string): DescFile | undefined
  /** The file that declares a service, a method, a type, a field, a value of an enum or an extension. */
  bySymbol(symbol: string): DescFile | undefined
  byExtension(type: string, number: number): DescFile | undefined
  /** The numbers of all known extensions of a type; undefined for an unknown one. */
  extensionNumbers(type: string): number[] | undefined
}

/** Of all that the roots import, too. */
export function indexDescriptors(roots: Iterable<DescFile>): DescriptorIndex {
  const files = new Map<string, DescFile>()
  for (const root of roots) for (const file of withDependencies(root)) files.set(file.proto.name, file)
  const registry = createRegistry(...files.values())
  const symbols = new Map<string, DescFile>()
  const extensions = new Map<string, Map<number, DescFile>>()
  for (const file of files.values()) {
    for (const symbol of symbolsOf(file)) symbols.set(symbol, file)
    for (const desc of nestedTypes(file)) {
      if (desc.kind !== 'extension') continue
      const ofType = extensions.get(desc.extendee.typeName) ?? new Map<number, DescFile>()
      extensions.set(desc.extendee.typeName, ofType.set(desc.number, file))
    }
  }
  return {
    byName: name => files.get(name),
    bySymbol: symbol => symbols.get(symbol.replace(/^\./, '')),
    byExtension: (type, number) => extensions.get(type)?.get(number),
    extensionNumbers: type =>
      registry.getMessage(type) === undefined ? undefined : [...(extensions.get(type)?.keys() ?? [])],
  }
}

/** The file after all that it imports, each once. */
export function withDependencies(file: DescFile, seen = new Set<DescFile>()): Set<DescFile> {
  if (seen.has(file)) return seen
  for (const dependency of file.dependencies) withDependencies(dependency, seen)
  return seen.add(file)
}

/** The file as a serialized FileDescriptorProto, custom options included. */
export const bytesOf = (file: DescFile): Uint8Array => toBinary(FileDescriptorProtoSchema, file.proto)

function* symbolsOf(file: DescFile): Generator<string> {
  for (const desc of nestedTypes(file)) {
    yield desc.typeName
    if (desc.kind === 'message') yield* membersOf(desc)
    if (desc.kind === 'service') for (const method of desc.methods) yield `${desc.typeName}.${method.name}`
    if (desc.kind === 'enum') {
      // Values belong to what the enum is declared in (protobuf's scoping, from C++).
      const scope = desc.typeName.slice(0, desc.typeName.lastIndexOf('.') + 1)
      for (const value of desc.values) yield scope + value.name
    }
  }
}

function* membersOf(message: DescMessage): Generator<string> {
  for (const { name } of [...message.fields, ...message.oneofs]) yield `${message.typeName}.${name}`
}
