/** The classes of a new head: the labels that the examples have, in the order in which they come. */
import { excerpt } from '@millhand/model'
import { ExamplesInvalid } from '../run/example-set.ts'
import { growingElements } from '../run/growing-elements.ts'
import type { TargetReader } from '../run/target-elements.ts'

export interface ClassReader extends TargetReader {
  labels(): readonly string[]
}

/** With more, the confusion matrix would not fit the output of the task. */
export const MOST_CLASSES = 100
export const MOST_LABEL_CHARACTERS = 64

export function openNewClasses(): ClassReader {
  const classes = new Map<string, number>()
  const elements = growingElements('int64')
  return {
    add(value, place) {
      const label = labelOf(value)
      if (label === undefined) {
        const what = `a text of 1 to ${MOST_LABEL_CHARACTERS} characters on one line, a whole number, true or false`
        throw new ExamplesInvalid(`must be the name of a class: ${what}`, place)
      }
      const known = classes.get(label)
      if (known === undefined && classes.size === MOST_CLASSES) {
        throw new ExamplesInvalid(
          `"${excerpt(label)}" would be class ${MOST_CLASSES + 1}; there may be ${MOST_CLASSES}`,
          place,
        )
      }
      classes.set(label, known ?? classes.size)
      elements.push(BigInt(known ?? classes.size - 1))
    },
    requireVariety({ first, line, column }) {
      if (classes.size > 1) return
      const problem = `all examples from line ${first} on have one class; two are needed`
      throw new ExamplesInvalid(problem, { line, column, needsMore: true })
    },
    tensor: count => ({ dtype: 'int64', shape: [count, 1], data: elements.done() }),
    labels: () => [...classes.keys()],
  }
}

function labelOf(value: unknown): string | undefined {
  const isNumber = Number.isSafeInteger(value) || typeof value === 'bigint'
  const text = typeof value === 'string' ? value.trim() : isNumber || typeof value === 'boolean' ? `${value}` : ''
  return isClassName(text) ? text : undefined
}

/** Without control characters: as JSON each has six bytes, and nobody could tell such names apart. */
export const isClassName = (text: string): boolean =>
  text !== '' && text.length <= MOST_LABEL_CHARACTERS && text.isWellFormed() && !/\p{Cc}/u.test(text)
