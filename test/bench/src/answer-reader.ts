/**
 * Reads HTTP/1.1 answers off one connection, as little of them as a load generator needs. Only answers with a
 * `Content-Length` are understood: that is what the things under test send.
 */
export interface AnswerReader {
  /**
   * The answer when `bytes` complete it, else undefined: call again with what comes next. `bytes` is borrowed until the
   * call returns; the answer's body may point into it. Throws when it is no HTTP answer, or more than one.
   */
  read(bytes: Buffer): Answer | undefined
}

export interface Answer {
  readonly status: number
  readonly head: Buffer
  readonly body: Buffer
}

export function answerReader(): AnswerReader {
  let held: Buffer | undefined
  return {
    read(bytes) {
      const all = held ? Buffer.concat([held, bytes]) : bytes
      const answer = complete(all)
      held = answer ? undefined : held ? all : Buffer.from(bytes)
      return answer
    },
  }
}

const blankLine = Buffer.from('\r\n\r\n')

function complete(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf(blankLine)
  if (headEnd < 0) return undefined
  const bodyStart = headEnd + 4
  const end = bodyStart + contentLength(bytes, headEnd)
  if (bytes.length < end) return undefined
  if (bytes.length > end) throw new Error('more bytes came than the answer has')
  return { status: status(bytes), head: bytes.subarray(0, headEnd), body: bytes.subarray(bodyStart, end) }
}

function status(bytes: Buffer): number {
  const value = digit(bytes, 9) * 100 + digit(bytes, 10) * 10 + digit(bytes, 11)
  if (!(value >= 100 && value < 600)) throw new Error(`not an HTTP answer: ${bytes.toString('latin1', 0, 40)}`)
  return value
}

const digit = (bytes: Buffer, at: number) => (bytes[at] ?? 0) - 0x30

/** Both spellings in use, `Content-Length` and `content-length`, share `ength: ` and no other header here has it. */
const lengthHeader = Buffer.from('ength: ')

function contentLength(bytes: Buffer, headEnd: number): number {
  const found = bytes.indexOf(lengthHeader)
  if (found < 0 || found > headEnd || !/^content-l$/i.test(bytes.toString('latin1', found - 9, found))) {
    throw new Error(`an answer without Content-Length: ${bytes.toString('latin1', 0, headEnd)}`)
  }
  let length = 0
  for (let at = found + lengthHeader.length; at < headEnd && bytes[at] !== 0x0d; at += 1) {
    length = length * 10 + digit(bytes, at)
  }
  return length
}
