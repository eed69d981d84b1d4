/** Posts an event to an endpoint. */

export type Dialled =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter?: string
      readonly excerpt: string
      readonly ms: number
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly ms: number }

/** What of `libs/dial` is needed. It never rejects. */
export interface Dial {
  post(
    request: {
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly plainHttp: boolean
      readonly partition: string
    },
    signal: AbortSignal,
  ): Promise<Dialled>
}
