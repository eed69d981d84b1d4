/**
 * gRPC server reflection: what lets grpcurl, `buf curl` and Postman call us without our .proto files. Written here
 * because Connect for Node has none (its issue 507), and `@grpc/reflection` serves through grpc-js alone.
 */
import type { DescFile, DescService, MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { file_google_rpc_error_details } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import type { Routes } from '../direct-transport.ts'
import { bytesOf, type DescriptorIndex, indexDescriptors, withDependencies } from './descriptor-index.ts'
import { ReflectionAlpha } from './reflection-alpha.ts'

/** Describes what `services` gives when the first question comes. */
export function reflectionService(services: () => readonly DescService[]) {
  let index: DescriptorIndex | undefined
  async function* serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>): AsyncGenerator<Response> {
    // No method names the details of errors, and clients want to read them.
    index ??= indexDescriptors([...services().map(({ file }) => file), file_google_rpc_error_details])
    const sent = new Set<DescFile>()
    for await (const request of requests) {
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(request, index, sent, services),
      }
    }
  }
  return (routes: Routes): void => {
    for (const version of [ServerReflection, ReflectionAlpha]) routes.service(version, { serverReflectionInfo })
  }
}

type Response = MessageInitShape<typeof ServerReflectionResponseSchema>
type Answer = NonNullable<Response['messageResponse']>

function answer(
  { messageRequest: asked }: ServerReflectionRequest,
  index: DescriptorIndex,
  sent: Set<DescFile>,
  services: () => readonly DescService[],
): Answer {
  switch (asked.case) {
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: { service: services().map(({ typeName }) => ({ name: typeName })) },
      }
    case 'fileByFilename':
      return described(index.byName(asked.value), sent, asked.value)
    case 'fileContainingSymbol':
      return described(index.bySymbol(asked.value), sent, asked.value)
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = asked.value
      return described(index.byExtension(containingType, extensionNumber), sent, `${containingType} ${extensionNumber}`)
    }
    case 'allExtensionNumbersOfType': {
      const extensionNumber = index.extensionNumbers(asked.value)
      if (extensionNumber === undefined) return unknown(asked.value)
      return { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value, extensionNumber } }
    }
    default:
      return failed(Code.InvalidArgument, 'a request without a question')
  }
}

/** The file, and of all that it imports what this stream has not had yet. */
function described(file: DescFile | undefined, sent: Set<DescFile>, what: string): Answer {
  if (file === undefined) return unknown(what)
  // The file that was asked for comes first, also when it was sent before.
  const others = [...withDependencies(file)].filter(other => other !== file && !sent.has(other))
  for (const one of [file, ...others]) sent.add(one)
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: [file, ...others].map(bytesOf) } }
}

const unknown = (what: string) => failed(Code.NotFound, `not found: ${what}`)

const failed = (errorCode: Code, errorMessage: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})
