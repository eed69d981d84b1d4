/** Writes a reference from source: every name that can be used from outside, as the parser of its language sees it. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { plain } from '../finding.ts'
import { languageOf } from '../language.ts'
import { plainPath, type Source, sourcesOf } from '../source.ts'
import { examplesFor } from './examples.ts'
import { markdownOf } from './markdown.ts'
import { visible } from './prose.ts'
import { readOpenApi } from './read-openapi.ts'
import { readProto } from './read-proto.ts'
import { readPython } from './read-python.ts'
import { readTypeScript } from './read-typescript.ts'
import { type Entry, type Module, Unreadable } from './reference.ts'
import type { Input, Result } from './result.ts'
import { withTakenOver } from './taken-over.ts'

const MOST_TEST_CHARACTERS = 400_000

export async function rules(brief: Brief<Input>): Promise<Answer<Result>> {
  const sources = sourcesOf(brief)
  if (sources.length === 0)
    throw new Refusal('input.files', 'Give source to document: `code` with its `path`, `files`, or files of the task.')
  const tests = (brief.input.tests ?? []).map(({ path, text }, at) => ({
    path: plainPath(path, `input.tests[${at}].path`),
    text,
  }))
  if (tests.reduce((sum, { text }) => sum + text.length, 0) > MOST_TEST_CHARACTERS)
    throw new Refusal('input.tests', `The tests are too long; give at most ${MOST_TEST_CHARACTERS} characters.`)
  const modules: Module[] = []
  const not_read: { file: string; reason: string }[] = []
  // One after the other: what a parser holds is freed before the next file.
  for (const source of sources) {
    try {
      const module = await read(source)
      if (module) modules.push(shown(module))
      else not_read.push({ file: source.path, reason: 'Its language is not supported.' })
    } catch (error) {
      not_read.push({ file: source.path, reason: whyNot(error) })
    }
  }
  const whole = withTakenOver(modules)
  const examples = await examplesFor(whole, tests)
  const title = visible(brief.input.title ?? (brief.topic || 'API reference'))
  const markdown = markdownOf(title, whole, examples, not_read)
  const result: Result = { title, markdown, modules: whole, examples, summary: summaryOf(whole), not_read }
  return {
    result,
    text: markdown,
    artifacts: [{ name: 'reference.md', media_type: 'text/markdown', bytes: Buffer.from(markdown) }],
    citations: examples.map(({ source, code }) => ({ source, quote: code })),
    warnings: [
      ...whole.flatMap(({ file, entries }) =>
        entries.length === 0 ? plain(`${file}: nothing to use from outside was found in it.`) : [],
      ),
      ...not_read.map(({ file, reason }) => plain(`${file}: ${reason}`)),
      ...unheeded(brief),
    ],
  }
}

async function read({ path, text }: Source): Promise<Module | undefined> {
  const language = languageOf(path)
  if (language === 'typescript' || language === 'javascript') return readTypeScript(path, text)
  if (language === 'python') return await readPython(path, text)
  if (/\.proto$/i.test(path)) return readProto(path, text)
  return /\.(?:ya?ml|json)$/i.test(path) ? readOpenApi(path, text) : undefined
}

function whyNot(error: unknown): string {
  if (error instanceof Unreadable) return plain(error.message)
  if (error instanceof RangeError) return 'It is nested too deeply to be read.'
  throw error
}

/** Names and comments without characters that can't be seen. */
const shown = (module: Module): Module => ({
  ...module,
  description: visible(module.description),
  entries: module.entries.map(shownEntry),
  left_out: module.left_out.map(each => ({ ...each, names: each.names.map(plain) })),
})

const shownEntry = (entry: Entry): Entry => ({
  ...entry,
  name: plain(entry.name),
  signature: visible(entry.signature),
  description: visible(entry.description),
  members: entry.members.map(shownEntry),
  ...(entry.declarations && {
    declarations: entry.declarations.map(({ signature, description }) => ({
      signature: visible(signature),
      description: visible(description),
    })),
  }),
})

function summaryOf(modules: readonly Module[]): Result['summary'] {
  const entries = modules.flatMap(({ file, entries: own }) => own.map(entry => ({ file, entry })))
  // Of what was not read nothing is known, not even that it has no names.
  if (modules.length === 0) return { modules: 0, entries: null, documented: null, undocumented: [] }
  const bare = entries.filter(({ entry }) => entry.description === '' && entry.kind !== 're-export')
  return {
    modules: modules.length,
    entries: entries.length,
    documented: entries.length - bare.length,
    undocumented: bare.map(({ file, entry }) => `${file}: ${entry.name}`),
  }
}
