/** For each kind that rules do, a brief at its limit: a body of about 500 KiB (the most is 512 KiB), the longest lists of its schema, or the highest page. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { handbook, questions } from '@millhand/employees/emma/answer_ticket/bar/bar.ts'
import { cleanPages } from '@millhand/employees/maya/seo_optimize/bar/bar.ts'
import { everyBlock } from '@millhand/employees/sarah/design_mockup/bar/every-block.ts'
import { repository } from '@millhand/test-e2e/server'
import { chart, failing, monthly, numbered, sentences, sourceOf, table } from './larger.ts'

const CHARACTERS = 480 * 1_024
const CHARACTERS_OF_SOURCES = 400_000

/** By `<employee> <kind>`. */
export const largestBriefs = (): Readonly<Record<string, { readonly input: object } | undefined>> => ({
  'alex code_review': { input: { files: sources() } },
  'alex debug': { input: { trace: trace() } },
  'alex documentation': { input: { title: 'Sources', files: sources() } },
  'david analyze_data': { input: { csv: csv() } },
  'david create_report': { input: { title: 'Sales', csv: csv() } },
  'david forecast': { input: { horizon: 12, series: monthly(20).map(lengthened) } },
  'emma answer_ticket': {
    input: {
      ticket: questions[0]?.ticket,
      knowledge: repeated([handbook], CHARACTERS).map((text, at) => ({ title: `Handbook ${at}`, text })),
    },
  },
  'emma sentiment_analysis': { input: { texts: numbered(1_000).map(tickets) } },
  'maya create_social_post': { input: { facts: sentences(100), variants: 5 } },
  'maya generate_ad_copy': { input: { facts: sentences(100), variants: 5 } },
  'maya seo_optimize': { input: { html: page() } },
  'sarah brand_assets': {
    input: { name: 'The Alder & Finch Seed Company of the North and of the South', keywords: numbered(20).map(String) },
  },
  'sarah create_image': { input: { ...chart(60), width: 2400, height: 2400 } },
  'sarah design_mockup': {
    input: { ...everyBlock, blocks: numbered(22).map(i => everyBlock.blocks[i % everyBlock.blocks.length]) },
  },
})

/** In the same order again and again, until they have so many characters. */
function repeated(texts: readonly string[], characters: number): string[] {
  const all: string[] = []
  for (let left = characters, at = 0; left > 0; at++) {
    const text = texts[at % texts.length] ?? ''
    all.push(text)
    left -= text.length
  }
  return all
}

/** Of this repository, as many characters as the kinds take. */
function sources() {
  const files: { path: string; text: string }[] = []
  let left = CHARACTERS_OF_SOURCES
  for (const path of globSync('{services,libs}/*/src/*.ts', { cwd: repository }).toSorted()) {
    const file = sourceOf(join(repository, path), path)
    left -= file.text.length
    if (left < 0 || files.length === 300) break
    files.push(file)
  }
  return files
}

const trace = () =>
  repeated([failing('js-library').trace], CHARACTERS_OF_SOURCES)
    .join('\n')
    .slice(0, CHARACTERS_OF_SOURCES)

/** Rises with each repetition, or the next would be known. */
const lengthened = ({ name, values }: { readonly name: string; readonly values: readonly number[] }) => ({
  name,
  values: numbered(4_000).map(i => (values[i % values.length] ?? 0) + Math.floor(i / values.length)),
})

/** Eight tickets in one text, each time others. */
const tickets = (at: number) =>
  numbered(8)
    .map(i => questions[(at * 8 + i) % questions.length]?.ticket)
    .join(' ')

const csv = () =>
  table(100_000)
    .slice(0, CHARACTERS)
    .replace(/\n[^\n]*$/, '')

function page(): string {
  const html = cleanPages.get('article.html') ?? ''
  const [, body = ''] = /<article>([\s\S]*)<\/article>/.exec(html) ?? []
  return html.replace(body, () => repeated([body], CHARACTERS * 0.95).join('\n'))
}
