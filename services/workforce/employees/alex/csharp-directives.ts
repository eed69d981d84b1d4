/** Conditional compilation of C#, made into text that a grammar without a preprocessor can parse. Offsets and lines stay as they are. */
import type { LineRange } from './finding.ts'

/** A text to parse in place of another of the same length, and the lines that are left out of it. */
export interface Reading {
  readonly text: string
  readonly left: readonly LineRange[]
}

/** The plainest first: as it is, without the lines of directives, and of each condition the first branch alone. */
export function* csharpReadings(text: string): Generator<Reading> {
  yield { text, left: [] }
  if (!directive.test(text)) return
  yield { text: text.replaceAll(new RegExp(directive, 'gm'), blank), left: [] }
  yield firstBranches(text)
}

/** `#if`, `#else`, `#endif`, `#pragma`, `#region` and the like take a line each (C# 13, section 6.5). */
const directive = /^[ \t]*#[ \t]*([a-z]+)[^\r\n]*/m

const blank = (line: string): string => ' '.repeat(line.length)

function firstBranches(text: string): Reading {
  const branches: ('first' | 'other')[] = []
  const left: LineRange[] = []
  const lines = text.split('\n').map((line, at) => {
    const word = directive.exec(line)?.[1]
    if (word === 'if') branches.push('first')
    if (word === 'elif' || word === 'else') branches[branches.length - 1] = 'other'
    if (word === 'endif') branches.pop()
    if (word !== undefined) return line.replace(directive, blank)
    if (!branches.includes('other')) return line
    if (line.trim() !== '') left.push({ from: at + 1, to: at + 1 })
    return blank(line)
  })
  return { text: lines.join('\n'), left }
}
