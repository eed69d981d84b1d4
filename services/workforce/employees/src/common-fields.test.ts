/** What a kind says of the fields beside `input` is so: those that it offers change what comes, the others do not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EngineKind } from '@millhand/workforce/employee'
import { type Brief, type BriefFile, Refusal } from './brief.ts'
import { type KindSpec, readCatalogue } from './catalogue.ts'
import { type CommonField, commonFields } from './common-fields.ts'
import type { Phrase } from './kind.ts'
import { importOf, runRules } from './run-rules.ts'

const names = Object.keys(commonFields) as CommonField[]
const kinds = readCatalogue().flatMap(employee => employee.kinds)

for (const kind of kinds)
  describe(`beside the input of ${kind.employee} ${kind.id}`, { timeout: 300_000 }, () => {
    it('an engine that the kind has heeds each field', () => {
      const engines: readonly EngineKind[] = kind.image_model ? [...kind.engines, 'llm'] : kind.engines
      for (const { name, by, media_types: types } of kind.fields) {
        assert.ok(by.length > 0 && by.every(engine => engines.includes(engine)), name)
        assert.equal(types !== undefined, name === 'files')
      }
    })

    for (const engine of kind.engines)
      it(`what is offered has an effect with ${engine}, and what is not has none`, async () => {
        const offered = names.filter(name => fieldOf(kind, name)?.by.includes(engine))
        // Such a kind shows the language model the whole brief.
        const heeded = engine === 'llm' && kind.words_schema === undefined ? names : await effective(kind, engine)
        assert.deepEqual(offered, heeded)
      })
  })

const fieldOf = ({ fields }: KindSpec, name: CommonField) => fields.find(field => field.name === name)

async function effective(kind: KindSpec, engine: EngineKind): Promise<CommonField[]> {
  const found: CommonField[] = []
  const plain = await outcome(kind, engine, briefOf(kind.example.input))
  for (const name of names) {
    // The seed goes to the language model beside what it is shown.
    if (name === 'seed' && engine === 'llm') found.push(name)
    else if (await differs(kind, engine, name, kind.example.input, plain)) found.push(name)
    else if (fieldOf(kind, name)?.by.includes(engine) && (await isHeededElsewhere(kind, engine, name))) found.push(name)
  }
  return found
}

/** What is offered may count only where a field of the input is absent, or in another case. */
async function isHeededElsewhere(kind: KindSpec, engine: EngineKind, name: CommonField): Promise<boolean> {
  for (const input of otherInputs(kind))
    if (await differs(kind, engine, name, input, await outcome(kind, engine, briefOf(input)))) return true
  return false
}

async function differs(kind: KindSpec, engine: EngineKind, name: CommonField, input: unknown, plain: string) {
  const then = await outcome(kind, engine, { ...briefOf(input), ...given(kind, name) })
  // A file that is refused is not read.
  return then !== plain && !(name === 'files' && then.startsWith(REFUSED))
}

const briefOf = (input: unknown): Brief => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })

function* otherInputs({ employee, example, input_schema }: KindSpec): Generator<unknown> {
  const input = example.input as Readonly<Record<string, unknown>>
  for (const name of Object.keys(input))
    if (!(input_schema.required as string[] | undefined)?.includes(name))
      yield Object.fromEntries(Object.entries(input).filter(([other]) => other !== name))
  if (employee === 'david') yield { csv: manyPoints }
}

/** More than a chart shows. */
const manyPoints = [
  'x,y',
  ...Array.from({ length: 3_000 }, (_, i) => `${(i * 7_919) % 3_001},${((i * 7_919) % 3_001) + (i % 97)}`),
].join('\n')

/** All that comes but the warnings, or why nothing does. */
async function outcome(kind: KindSpec, engine: EngineKind, brief: Brief): Promise<string> {
  try {
    if (engine === 'rules') {
      const { answer, checks } = await runRules(kind, brief)
      return JSON.stringify([{ ...answer, warnings: [] }, checks])
    }
    const { phrase }: { phrase: Phrase<unknown, unknown, unknown> } = await importOf(kind, 'phrase.ts')
    const phrasing = await phrase(brief)
    return JSON.stringify('shown' in phrasing ? phrasing.shown : phrasing)
  } catch (error) {
    if (error instanceof Refusal) return REFUSED + error.message
    throw error
  }
}

const REFUSED = 'refused: '

function given(kind: KindSpec, name: CommonField): Partial<Brief> {
  if (name === 'files') return { files: [fileOf(fieldOf(kind, name)?.media_types?.[0] ?? 'text/plain')] }
  return { [name]: wishes[name] }
}

const wishes = {
  topic: 'Zebra crossings',
  tone: 'very formal',
  language: 'de',
  audience: 'children',
  constraints: { min_words: 2_000, must_include: ['zebra'], avoid: ['the'] },
  seed: 12_345,
} as const

function fileOf(media_type: string): BriefFile {
  const [name, text] = texts[media_type] ?? texts['text/plain']
  return { name, media_type, bytes: Buffer.from(text) }
}

const texts: Readonly<Record<string, readonly [name: string, text: string]>> & {
  readonly 'text/plain': readonly [string, string]
} = {
  'text/plain': ['zebras.txt', 'Zebras cross the road at noon.\n'],
  'text/html': ['zebras.html', '<title>Zebras</title><h1>Zebras</h1><p>They cross the road at noon.'],
  'text/csv': [
    'zebras.csv',
    ['day,zebras', ...Array.from({ length: 40 }, (_, i) => `${i},${(i * i) % 11}`)].join('\n'),
  ],
  '*/*': [
    'src/average.mjs',
    '/** Of zebras. */\nexport function average(values) {\n\n  return sum / valeus.length\n}\n',
  ],
}
