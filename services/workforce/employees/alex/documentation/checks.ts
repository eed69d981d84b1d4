import type { SlowChecks } from '../../src/kind.ts'
import { plain } from '../finding.ts'
import { sourcesOf } from '../source.ts'
import { codeIn, spansOfSignature } from './markdown.ts'
import { listed } from './parser-lists.ts'
import type { Entry, Input, Result } from './result.ts'
import { MOST_TAKEN } from './taken-over.ts'

export const checks: SlowChecks<Input, Result> = async (brief, { result, citations = [] }) => {
  const { modules, markdown } = result
  const read = new Set(modules.map(({ file }) => file))
  const given = sourcesOf(brief)
  const all = given.filter(({ path }) => read.has(path))
  const sources = new Map(all.map(source => [source.path, source]))
  const lists = await Promise.all(
    modules.map(async ({ file }) => {
      const source = sources.get(file)
      return { file, names: source ? await listed(source, all) : [] }
    }),
  )
  const known = new Map(
    modules.map(({ file, entries }) => [file, Map.groupBy(entries.flatMap(named), ({ name }) => name)]),
  )
  // What is too much to be taken over stands where it is.
  const isTooMuch = lists.flatMap(({ names }) => names.filter(({ from }) => from !== undefined)).length > MOST_TAKEN
  const complete = lists.flatMap(({ file, names }) =>
    names.map(({ name, takes, from }) => {
      const taken = isTooMuch && from !== undefined ? known.get(from)?.get(name) : undefined
      const there = known.get(file)?.get(name) ?? taken
      return {
        isThere: there !== undefined,
        isWhole: there?.some(({ signature }) => hasInOrder(signature, takes)) ?? false,
      }
    }),
  )
  const signatures = modules.flatMap(({ entries }) => entries.flatMap(signaturesOf))
  const { blocks, spans } = codeIn(markdown)
  const written = signatures.filter(
    signature => blocks.has(signature) || spansOfSignature(signature).every(span => spans.has(span)),
  ).length
  const tests = new Map((brief.input.tests ?? []).map(({ path, text }) => [path, text]))
  const quoted = citations.filter(({ source, quote }) => {
    const text = tests.get(source)
    return (
      text !== undefined &&
      isInOrder(
        text,
        quote.split('\n').map(line => line.trim()),
      )
    )
  }).length
  const found = complete.filter(({ isThere }) => isThere).length
  const whole = complete.filter(({ isWhole }) => isWhole).length
  const unread = given.filter(({ path }) => !read.has(path)).map(({ path }) => plain(path))
  return [
    {
      id: 'every_file_read',
      pass: unread.length === 0,
      value: unread.length === 0 ? given.length : `${all.length}; not read: ${unread.join(', ')}`,
      target: given.length,
    },
    // What there is nothing of was not checked.
    ...counted('names_of_the_parser', found, complete.length),
    ...counted('signatures_of_the_parser', whole, complete.length),
    ...counted('signatures_in_the_text', written, signatures.length),
    ...counted('examples_stand_in_the_tests', quoted, citations.length),
  ]
}

const counted = (id: string, value: number, target: number) =>
  target === 0 ? [] : [{ id, pass: value === target, value, target }]

interface Named {
  readonly name: string
  /** With those of its own parts: an operation has its parameters there. */
  readonly signature: string
}

/** Those inside count too: the parts of a service are its calls. */
function named({ name, signature, members }: Entry): Named[] {
  const whole = [signature, ...members.map(member => member.signature)].join('\n')
  return [
    { name, signature: whole },
    { name: name.slice(name.lastIndexOf('.') + 1), signature: whole },
    ...members.flatMap(member => [
      { name: `${name}.${member.name.replaceAll(/^['"]|['"]$/g, '')}`, signature: member.signature },
      ...named(member),
    ]),
  ]
}

/** Whole words, each after the one before it. What is cut at its end has said enough. */
function hasInOrder(signature: string, words: readonly string[]): boolean {
  const isEdge = (sign: string | undefined) => sign === undefined || !/[\p{L}\p{N}_$]/u.test(sign)
  let from = 0
  return (
    signature.endsWith('…') ||
    words.every(word => {
      for (let at = signature.indexOf(word, from); at >= 0; at = signature.indexOf(word, at + 1)) {
        from = at + word.length
        if (isEdge(signature[at - 1]) && isEdge(signature[from])) return true
      }
      return false
    })
  )
}

/** Each after the one before it. */
function isInOrder(text: string, parts: readonly string[]): boolean {
  let at = 0
  return parts.every(part => {
    const found = text.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}

const signaturesOf = ({ signature, members, declarations }: Entry): string[] => [
  ...(declarations?.some(({ description }) => description !== '')
    ? declarations.map(each => each.signature)
    : [signature]),
  ...members.flatMap(signaturesOf),
]
