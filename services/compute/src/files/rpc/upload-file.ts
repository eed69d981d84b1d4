import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type File,
  type FileDescription,
  FilePurpose,
  type UploadFileRequest,
} from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { operationKey, principal } from '@millhand/rpc'
import type { FileDeps } from '../file-deps.ts'
import { fileMessage, purposeOf } from '../file-message.ts'
import type { Description } from '../upload.ts'

/**
 * Uploads a file. It is durable before this answers; an upload that breaks off leaves nothing. One of an operation that
 * has made a file answers with that one.
 */
export const uploadFile =
  ({ files }: FileDeps) =>
  async (requests: AsyncIterable<UploadFileRequest>, call: HandlerContext): Promise<File> => {
    const parts = requests[Symbol.asyncIterator]()
    try {
      const { value: first } = await parts.next()
      const description = checked(first)
      const { tenant } = principal(call)
      const { signal, values } = call
      const operation = values.get(operationKey)
      return fileMessage(await files.upload({ tenant, description, bytes: dataOf(parts), signal, operation }))
    } finally {
      parts.return?.().catch(() => {}) // It may wait for a caller who sends nothing more.
    }
  }

function checked(first: UploadFileRequest | undefined): Description {
  if (first?.part.case !== 'description') {
    throw fail('missing_parameter', 'The first message of an upload must be its `description`.', {
      param: 'description',
    })
  }
  return descriptionOf(first.part.value)
}

function descriptionOf(sent: FileDescription): Description {
  const { filename = '', mediaType = 'application/octet-stream', metadata } = sent
  if (!isMediaType.test(mediaType)) {
    throw fail('invalid_parameter', '`media_type` must be a media type such as `image/jpeg`.', { param: 'media_type' })
  }
  return {
    purpose: purposeOf(sent.purpose ?? FilePurpose.INPUT),
    filename,
    media_type: mediaType,
    expires_after_s: sent.expiresAfterS,
    metadata,
  }
}

/** Type and subtype are tokens, and what follows is printable (RFC 9110, section 8.3.1): it goes into a header again. */
const isMediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[\t -~]*)?$/

async function* dataOf(parts: AsyncIterator<UploadFileRequest>): AsyncGenerator<Uint8Array, void> {
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { part } = next.value
    if (part.case !== 'data') {
      throw fail('invalid_parameter', 'An upload has one `description`, and after it nothing but `data`.', {
        param: 'description',
      })
    }
    yield part.value
  }
}
