/** Reports as they are asked for and read. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Parser } from 'htmlparser2'
import { extractText, getDocumentProxy } from 'unpdf'
import type { Brief } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { checks } from './checks.ts'
import { type ReportInput, rules, studied } from './engine.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const example: ReportInput = read('example.json').input
const outputSchema = read('output.schema.json')

async function ask(input: ReportInput) {
  const brief: Brief<ReportInput> = { topic: 'a topic', tone: '', constraints: {}, files: [], seed: 1, input }
  const answer = await rules(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  const bytes = (name: string) => answer.artifacts?.find(artifact => artifact.name === name)?.bytes ?? new Uint8Array()
  return {
    brief,
    answer,
    bytes,
    text: (name: string) => new TextDecoder().decode(bytes(name)),
    failed: (await checks(brief, answer)).filter(({ pass }) => !pass).map(({ id }) => id),
  }
}

/** What a reader of PDF sees, and where its links lead. */
async function pdfOf(bytes: Uint8Array) {
  const document = await getDocumentProxy(bytes.slice())
  const { text, totalPages } = await extractText(document, { mergePages: true })
  const pages = await Promise.all(Array.from({ length: totalPages }, (_, i) => document.getPage(i + 1)))
  const annotations = (await Promise.all(pages.map(page => page.getAnnotations()))).flat()
  return { text: text.replaceAll('\u200B', ''), pages: totalPages, annotations, scripts: await document.getJSActions() }
}

/** The elements and the text of a page. */
function pageOf(html: string) {
  const [elements, attributes]: [Set<string>, Set<string>] = [new Set(), new Set()]
  let text = ''
  const parser = new Parser({
    onopentag: (name, given) => {
      elements.add(name)
      for (const [attribute, value] of Object.entries(given)) attributes.add(`${attribute}=${value}`)
    },
    ontext: part => {
      text += part
    },
  })
  parser.end(html)
  return { elements, attributes: [...attributes], text }
}

describe('a report', () => {
  it('says the same as Markdown, HTML and PDF, with its charts', async () => {
    const { answer, text, bytes, failed } = await ask(example)
    const pdf = await pdfOf(bytes('report.pdf'))
    assert.deepEqual(failed, [])
    assert.ok(pdf.pages >= 3)
    const squeezed = (page: string) => page.replaceAll(/\s+/g, ' ')
    for (const { statement } of answer.result.findings) {
      assert.ok(squeezed(text('report.md')).includes(statement), statement)
      assert.ok(squeezed(pageOf(text('report.html')).text).includes(statement), statement)
      assert.ok(squeezed(pdf.text).includes(statement), statement)
    }
    for (const section of answer.result.sections) assert.ok(pdf.text.includes(section), section)
    const drawn = [...text('report.md').matchAll(/\]\(([^)]+\.svg)\)/g)].map(([, name]) => name)
    assert.ok(drawn.length >= 6)
    for (const name of drawn) assert.ok(text(name ?? '').startsWith('<svg'), name)
    assert.equal(text('report.html').split('<svg').length - 1, drawn.length)
  })

  it('has no number of the table in its tables that is not beside its query, but for probabilities', async () => {
    const { answer, text } = await ask(example)
    const known = new Set(answer.result.numbers.map(({ shown }) => shown))
    const [described = '', rest = ''] = text('report.md').split('## Method')
    const [, appendix = ''] = rest.split('## Appendix')
    const [profiles = '', pairs = ''] = described.split('## Pairs of numeric columns')
    const cells = `${profiles}${pairs.replaceAll(/[^|]*\|$/gm, '')}${appendix}`
      .split('\n')
      .filter(line => line.startsWith('| '))
      .flatMap(line => line.split(' | ').map(cell => cell.replaceAll(/[|\\\s]/g, '')))
      .filter(cell => /^-?[\d.,]+(e-?\d+)?$/.test(cell))
    assert.ok(cells.length > 40)
    for (const cell of cells) assert.ok(known.has(cell), cell)
  })

  it('says every number that its charts draw, with its query', async () => {
    const { brief, answer, text } = await ask(example)
    const { analysis } = await studied(brief)
    const charts = analysis.findings.flatMap(({ chart }) => chart ?? [])
    const drawn = [
      ...charts.map(({ sql, points }) => ({ sql, values: points.map(({ value }) => value) })),
      ...analysis.columns.flatMap(({ numbers }) =>
        numbers ? [{ sql: numbers.histogram.sql, values: numbers.histogram.counts }] : [],
      ),
    ]
    assert.equal(drawn.length, 7)
    for (const { sql, values } of drawn) {
      assert.deepEqual(
        answer.result.numbers.flatMap(one =>
          one.sql === sql && /^(span|group|share|bar)_/.test(one.name) ? one.value : [],
        ),
        values.filter(value => value !== null),
      )
      assert.ok(text('report.md').includes(sql))
    }
  })

  it('begins with its conclusions, and has queries in its appendix alone', async () => {
    const { answer, text } = await ask(example)
    assert.equal(answer.result.sections[0], 'Conclusions')
    assert.match(answer.result.sections.at(-1) ?? '', /^Appendix/)
    const [body = '', appendix = ''] = text('report.md').split('## Appendix')
    assert.doesNotMatch(body, /SELECT|p_adjusted|Kruskal(?! and Wallis \|)/)
    for (const { sql } of answer.result.findings) assert.ok(appendix.includes(sql), sql)
    const [, first = ''] = body.split('## Conclusions\n\n')
    assert.ok(first.startsWith(`- ${answer.result.findings[0]?.statement}`), first.slice(0, 200))
  })

  it('whose number is changed fails its check', async () => {
    const { brief, answer } = await ask(example)
    const [first, ...others] = answer.result.numbers
    assert.ok(first)
    const numbers = [{ ...first, value: first.value + 1, shown: '424242' }, ...others]
    const measured = await checks(brief, { ...answer, result: { ...answer.result, numbers } })
    assert.deepEqual(
      measured.filter(({ pass }) => !pass).map(({ id }) => id),
      ['no_numbers_other_than_their_query', 'no_numbers_written_otherwise', 'no_numbers_outside_the_report'],
    )
  })

  it('fails exactly the check that sees what is wrong', async () => {
    const { brief, answer } = await ask(example)
    const { result, artifacts = [] } = answer
    const [first, ...others] = result.numbers
    assert.ok(first)
    const page = (name: RegExp, change: (text: string) => string) =>
      artifacts.map(one =>
        name.test(one.name) ? { ...one, bytes: Buffer.from(change(Buffer.from(one.bytes).toString())) } : one,
      )
    const more = (text: string) => text.replaceAll(/\b120 rows\b/g, '121 rows')
    const changed: Readonly<Record<string, Partial<typeof answer>>> = {
      no_numbers_other_than_their_query: {
        result: { ...result, numbers: [{ ...first, sql: 'SELECT 7 AS "rows"' }, ...others] },
      },
      no_numbers_written_otherwise: {
        result: { ...result, numbers: [{ ...first, shown: '121' }, ...others] },
        artifacts: page(/\.(md|html)$/, more),
      },
      no_numbers_outside_the_report: { artifacts: page(/\.md$/, more) },
      pdf: { artifacts: page(/\.pdf$/, text => text.slice(1)) },
      no_scripts: { artifacts: page(/\.html$/, text => text.replace('</body>', '<script></script></body>')) },
      summary_keeps_to_the_report: { result: { ...result, summary: ['Visits were 987654.'] } },
    }
    const ids = (await checks(brief, { ...answer, result: { ...result, summary: ['The table has 120 rows.'] } })).map(
      ({ id }) => id,
    )
    assert.deepEqual(ids, Object.keys(changed))
    for (const [id, change] of Object.entries(changed)) {
      const measured = await checks(brief, { ...answer, ...change })
      assert.deepEqual(
        measured.flatMap(check => (check.pass ? [] : check.id)),
        [id],
      )
    }
  })

  it('gives each correlation that it lists with its query, and fails its check where one is another', async () => {
    const { brief, answer, text } = await ask(example)
    const [, listed = ''] = text('report.md').split('## Pairs of numeric columns')
    const pairs = answer.result.numbers.filter(({ name }) => name === 'spearman' || name === 'pearson')
    assert.ok(pairs.length >= 6)
    for (const { shown } of pairs) assert.ok(listed.includes(shown), shown)
    const failedWith = async (change: Partial<(typeof pairs)[number]>) => {
      const numbers = answer.result.numbers.map(one => (one === pairs[2] ? { ...one, ...change } : one))
      const measured = await checks(brief, { ...answer, result: { ...answer.result, numbers } })
      return measured.filter(({ pass }) => !pass).map(({ id }) => id)
    }
    // A number that stands elsewhere in the report is not this one.
    assert.deepEqual(await failedWith({ shown: pairs[0]?.shown ?? '' }), [
      'no_numbers_written_otherwise',
      'no_numbers_outside_the_report',
    ])
    assert.deepEqual(await failedWith({ sql: 'SELECT 1 AS other' }), ['no_numbers_other_than_their_query'])
    assert.deepEqual(await failedWith({ sql: 'SELECT nonsense', value: 0, shown: '0' }), [
      'no_numbers_other_than_their_query',
      'no_numbers_outside_the_report',
    ])
  })

  it('is the same bytes each time, and in whatever zone it is made', async () => {
    const script = `const { rules } = await import('./engine.ts')
      const { createHash } = await import('node:crypto')
      const input = ${JSON.stringify(example)}
      const { artifacts } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
      for (const { bytes } of artifacts) console.log(createHash('sha256').update(bytes).digest('hex'))`
    const root = new URL('../../../../../', import.meta.url).pathname
    const flags = ['--permission', '--allow-addons', `--allow-fs-read=${root}*`, '--no-warnings', '--input-type=module']
    const made = (zone: string) =>
      promisify(execFile)(process.execPath, [...flags, '-e', script], {
        cwd: import.meta.dirname,
        env: { ...process.env, TZ: zone },
      })
    const [here, there] = [await made('UTC'), await made('Pacific/Kiritimati')]
    assert.ok(here.stdout.length > 500)
    assert.equal(here.stdout, there.stdout)
  })

  it('says how often a column of 0 and 1 is 1, with its query', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({ ok: i % 5 ? 1 : 0, size: (i * 7) % 40 }))
    const { text, answer, failed } = await ask({ rows })
    assert.match(text('report.md'), /^ok is 1 in 32 of 40 rows\.$/m)
    assert.ok(answer.result.numbers.some(({ shown, name }) => shown === '32' && name.startsWith('level_')))
    assert.deepEqual(failed, [])
  })

  it('of a table in which there is nothing to find says so', async () => {
    const { text, failed } = await ask({ csv: 'a,b\n1,x\n2,y\n' })
    assert.match(text('report.md'), /^# a topic\n/)
    assert.match(text('report.md'), /There are none/)
    assert.deepEqual(failed, [])
  })
})

describe('hostile texts in a report', () => {
  const nasty = [
    '<script>alert(1)</script>',
    '![x](https://evil.example/x.png)',
    '<img src=x onerror=alert(1)>',
    '[click](javascript:alert(1))',
    '```\n# heading',
    '| a | b |',
    'https://evil.example www.evil.example a@evil.example xmpp:a@evil.example',
    '</style><style>*{display:none}',
    `x${'y'.repeat(150)}`,
  ]

  it('are texts in all of its formats', async () => {
    const rows = Array.from({ length: 180 }, (_, i) => ({
      [nasty[0] ?? '']: nasty[i % nasty.length],
      [nasty[1] ?? '']: (i % nasty.length) * 10 + Math.sin(i * 5.1),
      [nasty[3] ?? '']: nasty[(i + (i % 7 === 0 ? 1 : 0)) % nasty.length],
      [nasty[5] ?? '']: Math.cos(i * 3.7),
    }))
    const { answer, text, bytes, failed } = await ask({ title: nasty.join(' '), rows })
    assert.ok(answer.result.findings.length > 0)
    assert.deepEqual(failed, [])

    const { elements, attributes } = pageOf(text('report.html'))
    for (const name of ['script', 'img', 'a', 'iframe', 'link', 'foreignobject']) assert.ok(!elements.has(name), name)
    assert.deepEqual(
      attributes.filter(given => /^on|^[^=]+=\s*javascript:|^(xlink:)?href=|^src=/i.test(given)),
      [],
    )
    assert.match(text('report.html'), /default-src 'none'/)

    const markdown = text('report.md').replaceAll(/^(`{3,})sql\n[^\n]*\n\1$/gm, '')
    assert.doesNotMatch(markdown, /<|(^|[^\\])`/m)
    assert.doesNotMatch(markdown, /[^\\]\]\((?![a-z0-9-]+\.svg\))/)
    assert.doesNotMatch(markdown, /https?:\/\/|www\.evil|(^|[^\\])@/m)

    const pdf = await pdfOf(bytes('report.pdf'))
    assert.deepEqual(pdf.annotations, [])
    assert.equal(pdf.scripts, null)
    assert.match(pdf.text, /<script>alert\(1\)<\/script>/)
  })

  it('in scripts that the PDF has no letters for are told of', async () => {
    const { answer } = await ask({ csv: '売上,b\n1,2\n3,4\n' })
    assert.match(answer.warnings?.join() ?? '', /PDF has no letters/)
  })
})

it('a number that stands in the report as a part of another is none of it', async () => {
  const { brief, answer } = await ask({ rows: Array.from({ length: 40 }, (_, i) => ({ a: (i * 7) % 40 })) })
  const md = answer.artifacts?.find(({ name }) => name === 'report.md')
  const changed = new TextDecoder()
    .decode(md?.bytes)
    .replaceAll(/\b40 rows/g, '1405 rows')
    .replaceAll(/\b40\b/g, '1405')
  const artifacts = answer.artifacts?.map(one =>
    one === md ? { ...one, bytes: new TextEncoder().encode(changed) } : one,
  )
  const failed = (await checks(brief, { ...answer, ...(artifacts && { artifacts }) })).filter(({ pass }) => !pass)
  assert.deepEqual(
    failed.map(({ id }) => id),
    ['no_numbers_outside_the_report'],
  )
})
