/** The ids of lines: an engine's time with nanoseconds, and `#<count>` where lines share it. */
import type { LogLine } from './driver.ts'

/** Gives each line that is read in order its id. */
export function createLineIds(): (time: string) => string {
  let latest = ''
  let count = 0
  return time => {
    count = time === latest ? count + 1 : 0
    latest = time
    return count === 0 ? time : `${time}#${count}`
  }
}

/** Lines after the one with this id, which is among them or has been thrown away. */
export async function* linesAfter(id: string, lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
  for await (const line of lines) if (isLater(line.id, id)) yield line
}

function isLater(one: string, other: string): boolean {
  const [time = '', count = '0'] = one.split('#')
  const [otherTime = '', otherCount = '0'] = other.split('#')
  return time === otherTime ? Number(count) > Number(otherCount) : nanoseconds(time) > nanoseconds(otherTime)
}

/** Of an RFC 3339 time, whose fraction has any number of digits; engines leave zeros out. */
export function nanoseconds(time: string): bigint {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  const seconds = Math.floor(Date.parse(time.replace(/\.\d+/, '')) / 1000)
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}
