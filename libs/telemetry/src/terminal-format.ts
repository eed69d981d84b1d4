/** Log lines for people: time, level, event, then the fields; the stack of an error below. */
import { styleText } from 'node:util'
import type { Level, Line } from './log-line.ts'

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const satisfies Record<Level, string>

export function terminalLine({ time, level, event, ...fields }: Line, color: boolean): string {
  const styled: typeof styleText = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const parts = [
    styled('gray', time.slice(11, 23)),
    styled(colors[level], level.toUpperCase().padEnd(5)),
    styled('bold', event),
  ]
  const stacks: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (isError(value)) stacks.push(value.stack)
    parts.push(`${styled('gray', `${name}=`)}${inOneLine(isError(value) ? value.message : value)}`)
  }
  const below = stacks.map(stack => `\n${styled('gray', stack.replaceAll(/[^\P{Cc}\n]/gu, ' '))}`)
  return parts.join(' ') + below.join('')
}

/** Quoted where it is more than one word, so that no value looks like a field or moves the cursor. */
const inOneLine = (value: unknown) =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value)

const isError = (value: unknown): value is { message: string; stack: string } =>
  typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
