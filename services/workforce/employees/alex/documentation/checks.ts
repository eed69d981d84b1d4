import type { Checks } from '../../../src/kind.ts'
import { sourcesOf } from '../source.ts'
import { code, fenced } from './markdown.ts'
import { listed } from './parser-lists.ts'
import type { Entry, Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result, citations = [] }) => {
  const { modules, markdown } = result
  const sources = new Map(sourcesOf(brief).map(source => [source.path, source]))
  const complete = modules.flatMap(({ file, entries }) => {
    const source = sources.get(file)
    const known = new Set(entries.flatMap(namesOf))
    return (source ? listed(source) : []).map(name => known.has(name))
  })
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
  const found = complete.filter(Boolean).length
  return [
    { id: 'names_of_the_parser', pass: found === complete.length, value: found, target: complete.length },
    { id: 'signatures_in_the_text', pass: written === signatures.length, value: written, target: signatures.length },
    { id: 'examples_stand_in_the_tests', pass: quoted === citations.length, value: quoted, target: citations.length },
  ]
}

/** Those inside count too: the parts of a service are its calls. */
const namesOf = ({ name, members }: Entry): string[] => [
  name,
  name.slice(name.lastIndexOf('.') + 1),
  ...members.flatMap(namesOf),
]

const signaturesOf = ({ signature, members }: Entry): string[] => [signature, ...members.flatMap(signaturesOf)]
