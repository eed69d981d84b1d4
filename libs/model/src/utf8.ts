/** Text from bytes: UTF-8, or UTF-16 that says so at its beginning. */
import { InputInvalid } from './tensors.ts'

/** Bytes as text, without a byte order mark. Throws `InputInvalid`. */
export function readUtf8(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes)
  const text = encoding === 'utf-32' ? undefined : decoded(bytes, encoding)
  if (text === undefined) {
    const found = encoding === 'utf-8' ? 'not UTF-8 text' : `in ${encoding.toUpperCase()}, or cut off`
    throw new InputInvalid(`the file is ${found}: save it as UTF-8`)
  }
  if (text.includes('\0'))
    throw new InputInvalid(
      'the file has NUL characters, as text in UTF-16 without a byte order mark has: save it as UTF-8',
    )
  return text
}

/** A text without a byte order mark, which editors write. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** By the byte order mark (Unicode, section 23.8). */
function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32' {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32' : 'utf-8'
}
