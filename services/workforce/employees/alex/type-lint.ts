/** What the checker of types sees in TypeScript, as findings. */
import { type Found, type Linter, plain, type Rule } from './finding.ts'
import { isBuildConstant, namesKnown } from './names-known.ts'
import { ruleTable } from './rule-table.ts'
import type { Source } from './source.ts'
import { isTyped, type TypeFault, typeFaults } from './type-faults.ts'

/**
 * By path: what is sure of files of TypeScript without the rest of their project. Nothing of more than 100,000 characters, which
 * take seconds. Throws a `RangeError` where they are nested too deeply, and `TooLong` where they take more than three seconds of
 * the processor.
 */
export function typeFindings(sources: readonly Source[]): Map<string, Found[]> {
  if (isTooMuch(sources)) return new Map()
  const typed = sources.filter(isTypeScript)
  const faults = Map.groupBy(typeFaults(sources, typed, { milliseconds: MOST_MILLISECONDS }), ({ path }) => path)
  const open = openTypes(typed)
  const isSure = ({ category, message }: Found) =>
    category === 'bug' && !(message.match(/[\w$]+/g) ?? []).some(word => open.has(word))
  return new Map(
    [...faults].map(([path, its]) => [path, its.some(isOfSyntax) ? [] : its.map(found).filter(isSure)] as const),
  )
}

/** Interfaces that have more than what stands in them: what they extend may not be given, and the checker then leaves it out. */
const openTypes = (sources: readonly Source[]): Set<string> =>
  new Set(sources.flatMap(({ text }) => [...text.matchAll(extending)].map(([, name = '']) => name)))

const extending = /\binterface\s{1,20}([\w$]{1,100})[^{]{0,200}?\bextends\b/g

/**
 * The checker over one file among others: all that it says, so that a change brings nothing new unseen. What is sure is a bug.
 * All calls share three seconds of processor time; then it throws `TooLong`.
 */
export function typeLinter(source: Source, sources: readonly Source[]): Linter | undefined {
  if (!isTypeScript(source) || isTooMuch(sources)) return undefined
  const budget = { milliseconds: MOST_MILLISECONDS }
  const faultsIn = (text: string) => typeFaults(sources, [{ ...source, text }], budget)
  return { lint: text => faultsIn(text).map(found), parses: text => !faultsIn(text).some(isOfSyntax) }
}

const isTypeScript = (source: Source) => source.language === 'typescript' && isTyped(source)

const isTooMuch = (sources: readonly Source[]) =>
  sources.filter(isTypeScript).reduce((sum, { text }) => sum + text.length, 0) > MOST_CHARACTERS

const MOST_CHARACTERS = 100_000

const MOST_MILLISECONDS = 3000

/** What a task says where it was too long. */
export const TYPES_LEFT = 'Types were not looked at to the end: they take the checker of TypeScript too long.'

const isOfSyntax = ({ code }: TypeFault) => code < 2000

function found(fault: TypeFault): Found {
  const { code, message, line, column, endLine } = fault
  const [severity, category, why, fix] = ruleOf(fault)
  return { rule: `TS${code}`, severity, category, line, column, endLine, message: plain(message), why, fix, edits: [] }
}

function ruleOf({ code, message, isOfType, neighbour }: TypeFault): Rule {
  const name = /^Cannot find name '([^']+)'/.exec(message)?.[1]
  const rule = typeRules[`TS${code}`]
  if (isOfType || rule === undefined || (name !== undefined && namesKnown.has(name))) return needsTheRest
  if (name === undefined || neighbour !== undefined) return rule
  return isBuildConstant(name) ? needsTheRest : declaredElsewhere
}

/** Rules that hold whatever else the project has: what is imported from files that are not given is of any type. */
const typeRules = ruleTable('type-rules.tsv')

const needsTheRest: Rule = ['warning', 'quality', 'The types do not fit.', 'Give what the type asks for.']

/** Frameworks and test runners declare names for all files, in declarations that are seldom given. */
const declaredElsewhere: Rule = [
  'warning',
  'bug',
  'The name is declared in no file given that this one sees: unless the project declares it elsewhere, this throws when it runs.',
  'Correct the spelling, or declare or import it, unless the project does.',
]
