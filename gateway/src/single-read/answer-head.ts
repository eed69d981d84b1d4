/** The head of an answer of HTTP/1.1, as node writes it. */
import { STATUS_CODES } from 'node:http'
import { KEEP_ALIVE_MS } from '../server-limits.ts'

/** `headers` are names and values by turns; the last answer of a connection says so in them. Throws where a value can't be one. */
export function answerHead(status: number, headers: readonly string[], isLast: boolean): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string
    if (invalid.test(value)) throw new Error(`the value of the header ${headers[at]} can't be sent`)
    text += `${headers[at]}: ${value}\r\n`
  }
  return `${text}Date: ${date()}\r\n${isLast ? '' : keepAlive}\r\n`
}

/** RFC 9110, section 5.5, of ASCII: it is sent as UTF-8. */
const invalid = /[^\t -~]/
const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`

let second = Number.NaN
let secondText = ''

function date(): string {
  const now = Math.trunc(Date.now() / 1000)
  if (now !== second) {
    second = now
    secondText = new Date(now * 1000).toUTCString()
  }
  return secondText
}
