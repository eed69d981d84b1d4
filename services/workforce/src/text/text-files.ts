import type { BriefFile } from '../brief.ts'
import { Refusal } from '../brief.ts'

/** The text of a file of a brief. Refuses what is no text, or not UTF-8. */
export function textOfFile({ name, media_type, bytes }: BriefFile, param: string): string {
  if (!/^text\//i.test(media_type))
    throw new Refusal(param, `${name} is ${media_type}; what is read is text, for example text/plain or text/markdown.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(param, `${name} is not UTF-8; save it as that.`)
  }
}
