import type { SlowChecks } from '../../../src/kind.ts'
import { sourcesOf } from '../source.ts'
import { code, fenced } from './markdown.ts'
import { listed } from './parser-lists.ts'
import type { Entry, Input, Result } from './result.ts'

export const checks: SlowChecks<Input, Result> = async (brief, { result, citations = [] }) => {
  const { modules, markdown } = result
  const sources = new Map(sourcesOf(brief).map(source => [source.path, source]))
  const lists = await Promise.all(
    modules.map(async ({ file, entries }) => {
      const source = sources.get(file)
      const known = Map.groupBy(entries.flatMap(named), ({ name }) => name)
      return (source ? await listed(source) : []).map(({ name, takes }) => ({
        isThere: known.has(name),
        isWhole: known.get(name)?.some(({ signature }) => hasInOrder(signature, takes)) ?? false,
      }))
    }),
  )
  const complete = lists.flat()
  const signatures = modules.flatMap(({ entries }) => entries.flatMap(signaturesOf))
  const written = signatures.filter(
    signature =>
      markdown.includes(fenced(signature, '').slice(3).trim()) ||
      signature.split('\n').every(line => markdown.includes(code(line.trim()))),
  ).length
  const tests = brief.input.tests ?? []
  const quoted = citations.filter(({ source, quote }) => {
    const text = tests.find(({ path }) => path === source)?.text
    return text !== undefined && quote.split('\n').every(line => text.includes(line.trim()))
  }).length
  const found = complete.filter(({ isThere }) => isThere).length
  const whole = complete.filter(({ isWhole }) => isWhole).length
  return [
    { id: 'names_of_the_parser', pass: found === complete.length, value: found, target: complete.length },
    { id: 'signatures_of_the_parser', pass: whole === complete.length, value: whole, target: complete.length },
    { id: 'signatures_in_the_text', pass: written === signatures.length, value: written, target: signatures.length },
    { id: 'examples_stand_in_the_tests', pass: quoted === citations.length, value: quoted, target: citations.length },
  ]
}

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
    ...members.flatMap(named),
  ]
}

/** Each after the one before it. What is cut at its end has said enough. */
function hasInOrder(signature: string, words: readonly string[]): boolean {
  let at = 0
  return words.every(word => {
    const found = signature.indexOf(word, at)
    if (found >= 0) at = found + word.length
    return found >= 0 || signature.endsWith('…')
  })
}

const signaturesOf = ({ signature, members }: Entry): string[] => [signature, ...members.flatMap(signaturesOf)]
