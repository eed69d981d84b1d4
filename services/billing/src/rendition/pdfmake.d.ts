/** What is used of pdfmake. The types that others have published for it bring those of a browser along. */
declare module 'pdfmake' {
  const pdfmake: {
    setFonts(
      fonts: Readonly<Record<string, Readonly<Record<'normal' | 'bold' | 'italics' | 'bolditalics', string>>>>,
    ): void
    setUrlAccessPolicy(mayFetch: (url: string) => boolean): void
    setLocalAccessPolicy(mayRead: (path: string) => boolean): void
    createPdf(definition: object): { getBuffer(): Promise<Uint8Array> }
  }
  export default pdfmake
}
