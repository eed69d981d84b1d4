/** Server-Sent Events as text (HTML standard, section 9.2). */

/** The milliseconds after which an `EventSource` reconnects. */
export const retryText = 'retry: 1000\n\n'

/** One event. `data` is JSON; `id` is what a reader that comes back sends as `Last-Event-ID`. */
export function eventText(type: string, data: string, id?: bigint): string {
  const place = id === undefined ? '' : `id: ${id}\n`
  return `${place}event: ${type}\ndata: ${inOneLine(data)}\n\n`
}

/** JSON has line ends only between its tokens, where a blank means the same. */
const inOneLine = (json: string) => (lineEnd.test(json) ? json.replaceAll(lineEnds, ' ') : json)

const lineEnd = /[\r\n]/
const lineEnds = /[\r\n]+/g
