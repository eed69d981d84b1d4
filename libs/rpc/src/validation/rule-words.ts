/** Rules in the words of REST: a short code, and what goes on after the parameter's name. */
import type { DescField } from '@bufbuild/protobuf'
import { allowedWords } from '@millhand/api'

export interface Words {
  readonly code: string
  readonly says: string
}

/** A field that must be set and is not. */
export function requiredWords(field: DescField | undefined): Words {
  const words = field === undefined ? [] : allowedWords(field)
  return {
    code: 'missing_parameter',
    says: `is required${words.length === 0 ? '' : `: one of ${words.join(', ')}`}`,
  }
}

/** Any rule but those below. `id` and `text` are those of protovalidate, as `string.max_len`. */
export function ruleWords(id: string, text: string, field: DescField | undefined): Words {
  if (field !== undefined && id.startsWith('enum.')) {
    return { code: 'not_in', says: `must be one of ${allowedWords(field).join(', ')}` }
  }
  const rule = id.slice(id.lastIndexOf('.') + 1)
  return { code: codes[rule] ?? rule, says: inPlainWords(text) }
}

const inPlainWords = (text: string) =>
  text
    .replace(/^(repeated )?value /, '')
    .replace(/^map must be/, 'must have')
    .replace('must be at least 1 characters', 'must not be empty')

/** Codes of rules whose own names would say less. A rule that is not here goes by its name. */
const codes: Record<string, string> = {
  in: 'not_in',
  not_in: 'not_allowed',
  max_bytes: 'too_large',
  min_items: 'too_few',
  max_items: 'too_many',
  min_pairs: 'too_few',
  max_pairs: 'too_many',
  unique: 'not_unique',
}

/** The range that a number has to be in. */
export interface Range {
  readonly low?: Bound
  readonly high?: Bound
}

interface Bound {
  readonly value: number | bigint
  readonly isExclusive: boolean
}

/** What the rules of all number types have in common. */
export interface NumberRules {
  readonly greaterThan: { readonly case?: string | undefined; readonly value?: number | bigint | undefined }
  readonly lessThan: { readonly case?: string | undefined; readonly value?: number | bigint | undefined }
  readonly notIn: readonly (number | bigint)[]
}

export function rangeOf({ greaterThan, lessThan }: NumberRules): Range {
  return {
    ...(greaterThan.value !== undefined && {
      low: { value: greaterThan.value, isExclusive: greaterThan.case === 'gt' },
    }),
    ...(lessThan.value !== undefined && { high: { value: lessThan.value, isExclusive: lessThan.case === 'lt' } }),
  }
}

/** A number outside of its range. */
export function rangeWords({ low, high }: Range): string {
  if (low && high && !low.isExclusive && !high.isExclusive) return `must be from ${low.value} to ${high.value}`
  const above = low && `${low.isExclusive ? 'more than' : 'at least'} ${low.value}`
  const below = high && `${high.isExclusive ? 'less than' : 'at most'} ${high.value}`
  return `must be ${[above, below].filter(Boolean).join(' and ')}`
}

/** None of the fields of which one is needed: of the first. */
export const noneOf = ([, ...others]: readonly string[]): Words => ({
  code: 'missing_parameter',
  says: `${others.map(name => `or \`${name}\` `).join('')}is required`,
})

/** Several of the fields of which one is allowed: a whole sentence, of the last. */
export const severalOf = (names: readonly string[]): Words => ({
  code: 'not_allowed',
  says: `Only one of ${names.map(name => `\`${name}\``).join(' and ')} can be given`,
})
