declare module 'bidi-js' {
  interface Bidi {
    getEmbeddingLevels(text: string): {
      readonly levels: Uint8Array
      readonly paragraphs: readonly { readonly level: number }[]
    }
  }
  export default function bidiFactory(): Bidi
}
