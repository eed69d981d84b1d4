/** For each kind that rules do, a brief as large as people have them: of the bars' own material. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { handbook, questions } from '@millhand/employees/emma/answer_ticket/bar/bar.ts'
import { cleanPages } from '@millhand/employees/maya/seo_optimize/bar/bar.ts'
import { everyBlock } from '@millhand/employees/sarah/design_mockup/bar/every-block.ts'
import { repository } from '@millhand/test-e2e/server'
import { largeTable } from '../david/large-table.ts'
import { collected } from '../forecast/windows.ts'

/** By `<employee> <kind>`. */
export const largerBriefs = (): Readonly<Record<string, { readonly input: object } | undefined>> => ({
  'alex code_review': { input: { files: textsIn('services/workforce/employees/alex/code_review/bar/planted') } },
  'alex debug': { input: { ...failing('js-library') } },
  'alex documentation': { input: { title: 'Executor', files: textsIn('services/executor/src') } },
  'david analyze_data': { input: { csv: table(2_000) } },
  'david create_report': { input: { title: 'Sales', csv: table(2_000) } },
  'david forecast': { input: { horizon: 12, series: monthly(2) } },
  'emma answer_ticket': {
    input: { ticket: questions[0]?.ticket, knowledge: [{ title: 'Handbook', text: handbook }] },
  },
  'emma sentiment_analysis': { input: { texts: questions.slice(0, 200).map(({ ticket }) => ticket) } },
  'maya create_social_post': { input: { facts: sentences(30), variants: 5 } },
  'maya generate_ad_copy': { input: { facts: sentences(30) } },
  'maya seo_optimize': { input: { html: cleanPages.get('article.html') } },
  'sarah brand_assets': { input: { name: 'The Alder & Finch Seed Company', keywords: ['garden', 'calm', 'craft'] } },
  'sarah create_image': { input: { ...chart(24), width: 2400, height: 1350 } },
  'sarah design_mockup': { input: { ...everyBlock, viewports: ['desktop'] } },
})

/** Files of a folder of the repository that are sources, or that hold the text of one. */
const textsIn = (folder: string) =>
  readdirSync(join(repository, folder))
    .toSorted()
    .filter(name => /\.(ts|txt)$/.test(name) && !name.includes('.test.'))
    .map(name => sourceOf(join(repository, folder, name), name.replace(/\.txt$/, '')))

export const sourceOf = (file: string, path: string) => ({ path, text: readFileSync(file, 'utf8') })

export function failing(name: string) {
  const folder = join('services/workforce/employees/alex/debug/bar/cases', name)
  const inside = readdirSync(join(repository, folder), { withFileTypes: true }).filter(entry => entry.isDirectory())
  const files = inside.flatMap(entry => textsIn(join(folder, entry.name)))
  return { trace: readFileSync(join(repository, folder, 'trace.txt'), 'utf8'), files }
}

export const table = (rows: number) =>
  largeTable()
    .split('\n', rows + 1)
    .join('\n')

export const monthly = (count: number) =>
  collected
    .filter(({ role, frequency }) => role === 'judged' && frequency === 'monthly')
    .slice(0, count)
    .map(({ name, values }) => ({ name, values }))

export const sentences = (count: number) => (handbook.match(/[A-Z][^.\n#|*]{30,150}\./g) ?? []).slice(0, count)

export const numbered = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

export const chart = (weeks: number) => ({
  picture: 'chart',
  title: 'What grew in weeks of rain',
  chart: {
    labels: numbered(weeks).map(String),
    series: numbered(4).map(bed => ({
      name: `Bed ${bed}`,
      values: numbered(weeks).map(i => 50 + bed * 10 + Math.round(20 * Math.sin(i / 3 + bed))),
    })),
  },
})
