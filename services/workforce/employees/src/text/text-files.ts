import { type BriefFile, Refusal } from '../brief.ts'

/** The text of a file of a brief: UTF-8, or UTF-16 that says so at its beginning. Refuses everything else by its name. */
export function textOfFile(file: BriefFile, param: string): string {
  const { name, media_type } = file
  if (!/^text\//i.test(media_type))
    throw new Refusal(param, `${name} is ${media_type}; what is read is text, for example text/plain or text/markdown.`)
  return textIn(file, param)
}

/** The same of a file of any media type, such as application/json. */
export function textIn({ name, bytes }: BriefFile, param: string): string {
  const text = decoded(bytes)
  if (text === undefined)
    throw new Refusal(param, `${name} is ${isUtf32(bytes) ? 'UTF-32' : 'not UTF-8'}; save it as UTF-8.`)
  if (text.includes('\0'))
    throw new Refusal(param, `${name} has NUL characters in it; it is not a text, or UTF-16 without a byte order mark.`)
  return text
}

/** By its byte order mark (Unicode 23.8), whose little form begins as that of UTF-16. */
const isUtf32 = ([first, second, third, fourth]: Uint8Array): boolean =>
  first === 0xff && second === 0xfe
    ? third === 0 && fourth === 0
    : first === 0 && second === 0 && third === 0xfe && fourth === 0xff

function decoded(bytes: Uint8Array): string | undefined {
  if (isUtf32(bytes)) return undefined
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** By the byte order mark (Unicode 23.8), which is no part of the text. */
export function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
