/** The reflection service by its former name, which grpcurl and older tools still ask. */
import { clone, createFileRegistry } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  file_grpc_reflection_v1_reflection,
  type ServerReflection,
} from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'

/** `grpc.reflection.v1alpha.ServerReflection`: in all but its name what v1 is, so it is made from that. */
export const ReflectionAlpha = alpha()

function alpha(): typeof ServerReflection {
  const file = clone(FileDescriptorProtoSchema, file_grpc_reflection_v1_reflection.proto)
  const rename = (text: string) => text.replace('grpc.reflection.v1', 'grpc.reflection.v1alpha')
  file.name = 'grpc/reflection/v1alpha/reflection.proto'
  file.package = rename(file.package)
  for (const message of file.messageType) for (const field of message.field) field.typeName = rename(field.typeName)
  for (const service of file.service) {
    for (const method of service.method) {
      method.inputType = rename(method.inputType)
      method.outputType = rename(method.outputType)
    }
  }
  const service = createFileRegistry(file, () => undefined).getService(`${file.package}.ServerReflection`)
  return service as typeof ServerReflection
}
