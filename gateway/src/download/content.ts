/** A server-streaming method's answer as it comes from its service. */
import type { DescMethodServerStreaming } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import type { RouteOf } from '@millhand/api'
import { pacedMessages } from './paced-messages.ts'

/** What a download's first message holds, as far as HTTP has a use for it. */
interface Slice {
  readonly file: SlicedFile
  readonly start: number
  readonly length: number
}

export interface SlicedFile {
  readonly filename: string
  readonly mediaType: string
  readonly bytes: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

export interface Content {
  readonly slice: Slice
  /** The bytes, read on demand. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the call, with the reason for it; without effect where it has ended. */
  close(reason?: unknown): void
}

/** Calls a method, and resolves with its first message. Fails as the call does. */
export type OpenContent = (request: Record<string, unknown>, values: ContextValues) => Promise<Content>

export function contentOpener({ desc, parts }: RouteOf<'download'>, transport: Transport): OpenContent {
  const method: DescMethodServerStreaming = desc
  return async (request, values) => {
    const ending = new AbortController()
    async function* messages(): AsyncGenerator<Part> {
      for await (const message of pacedMessages(transport, method, request, values, ending)) {
        yield (message as Readonly<Record<string, unknown>>)[parts.oneof] as Part
      }
    }

    const coming = messages()
    const first = await coming.next()
    if (first.done || first.value.case !== parts.head.localName) throw new Error(`${desc} did not begin with a slice`)
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for await (const { case: kind, value } of coming) {
        if (kind !== parts.data.localName) throw new Error(`${desc} sent a second slice`)
        yield value as Uint8Array
      }
    }
    return {
      slice: first.value.value as Slice,
      bytes: bytes(),
      close(reason) {
        ending.abort(reason)
        void coming.return(undefined)
      },
    }
  }
}

type Part = { readonly case?: string; readonly value?: unknown }
