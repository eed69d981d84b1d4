import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'

const json = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const [schema, example] = [json('output.schema.json'), json('example.json').input as Input]

const brief = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })

async function make(input: Input) {
  const asked = brief({ viewports: ['mobile'], ...input })
  const answer = await rules(asked)
  assert.equal(faultsOf(schema, answer.result), undefined)
  const file = (name: string) => Buffer.from(answer.artifacts?.find(artifact => artifact.name === name)?.bytes ?? [])
  return { ...answer, file, failed: (await checks(asked, answer)).filter(({ pass }) => !pass) }
}

const page = (...blocks: Input['blocks']): Input => ({ title: 'A page', blocks })

describe('mock-ups of a page', () => {
  it('are HTML, and pictures that open in the sizes they say', async () => {
    const { result, artifacts = [], failed } = await make({ ...example, viewports: ['desktop', 'tablet', 'mobile'] })
    assert.deepEqual(failed, [])
    assert.deepEqual(
      result.files,
      artifacts.map(({ name }) => name),
    )
    for (const { viewport, width, height } of result.pictures) {
      const png = artifacts.find(({ name }) => name === `${viewport}.png`)
      const meta = await sharp(png?.bytes).metadata()
      assert.deepEqual([meta.width, meta.height], [width, height])
    }
    assert.deepEqual(
      result.pictures.map(({ width }) => width),
      [1280, 768, 390],
    )
  })

  it('show a number of a chart as high as it is', async () => {
    const chart = { labels: ['a', 'b'], series: [{ values: [1, 2] }] }
    const svg = (await make(page({ chart }))).file('mobile.svg').toString()
    const bars = [...svg.matchAll(/<rect [^>]*height="([\d.]+)" fill="#[0-9a-f]{6}" rx="[\d.]+"\/>/g)].map(([, high]) =>
      Number(high),
    )
    assert.equal(bars.length, 2)
    assert.ok(Math.abs((bars[1] ?? 0) / (bars[0] ?? 1) - 2) < 0.01)
  })

  it('set numbers in one unit at the end of their column', async () => {
    const html = async (...cells: string[]) => {
      const table = { columns: ['Package', 'Time'], rows: cells.map(cell => ['zap', cell]) }
      return (await make(page({ table }))).file('page.html').toString()
    }
    assert.match(await html('656 ns/op', '11393 ns/op'), /class="[^"]*column-number/)
    for (const cells of [
      ['656 ns/op', '3 allocs/op'],
      ['2nd place', '3rd place'],
      ['656 ns/op', 'none'],
      ['logging in Go'],
      ['12 Baker'],
    ])
      assert.doesNotMatch(await html(...cells), /class="[^"]*column-number/, cells.join())
  })

  it('keep the colour of a brand on buttons, with text that can be read', async () => {
    for (const theme of ['light', 'dark'] as const)
      for (const base_color of ['#1f6feb', 'yellow', '#000', '#fff', '#777777']) {
        const { result, failed } = await make({ ...example, base_color, theme })
        assert.deepEqual(failed, [], `${base_color} ${theme}`)
        if (base_color === '#1f6feb') assert.equal(result.colours.strong, '#1f6feb')
      }
  })

  it('set a plan that is recommended on the tint of the brand, which the others are not', async () => {
    for (const theme of ['light', 'dark'] as const)
      for (const base_color of ['#1f6feb', 'yellow', '#000', '#777777']) {
        const { result, file, failed } = await make({ ...example, base_color, theme })
        assert.deepEqual(failed, [], `${base_color} ${theme}`)
        const plans = [
          ...file('mobile.svg')
            .toString()
            .matchAll(/<rect [^>]*fill="(#[0-9a-f]{6})" rx="15.5"/g),
        ]
        const { ground, tint } = result.colours
        assert.deepEqual(
          plans.map(([, fill]) => fill),
          [ground, tint, ground],
        )
        assert.notEqual(tint, ground)
        if (base_color === '#1f6feb') assert.notEqual(tint, result.colours.surface)
      }
  })

  it('hold nothing of a hostile text but its letters', async () => {
    const hostile =
      '</style></title><script>alert(1)</script><img src=http://x.example onerror=alert(1)>" onclick="x\u202e\u200b&lt;'
    const { file, failed } = await make({
      title: hostile,
      brand: hostile,
      navigation: { links: [hostile], action: hostile, current: hostile },
      blocks: [
        { hero: { title: hostile, image: hostile } },
        {
          form: {
            title: hostile,
            fields: [
              { label: hostile, value: hostile, placeholder: hostile },
              { label: hostile, type: 'select', options: [hostile] },
            ],
          },
        },
        { table: { title: hostile, columns: [hostile], rows: [[hostile]] } },
        { chart: { title: hostile, labels: [hostile], series: [{ values: [1] }] } },
      ],
      footer: { note: hostile },
    })
    assert.deepEqual(failed, [])
    const html = file('page.html').toString()
    assert.doesNotMatch(html, /<script|<img|onclick="|\u202e|\u200b/)
    assert.doesNotMatch(file('mobile.svg').toString(), /<script|<img|onclick="|\u202e/)
  })

  it('write no password that was given', async () => {
    const { file } = await make(
      page({ form: { fields: [{ label: 'Password', type: 'password', value: 'hunter2-secret' }] } }),
    )
    assert.doesNotMatch(file('page.html').toString() + file('mobile.svg').toString(), /hunter2/)
  })

  it('say what has no effect, and what is longer than its field', async () => {
    const { warnings = [], result } = await make(
      page({
        form: {
          fields: [
            { label: 'a', type: 'switch', options: ['x'] },
            { label: 'b', value: 'long '.repeat(40) },
          ],
        },
      }),
    )
    assert.match(warnings.join('\n'), /`input\.blocks\[0\]\.form\.fields\[0\]\.options` has no effect/)
    assert.equal(result.cut.length, 1)
  })

  it('have one first heading, and no level left out', async () => {
    for (const layout of ['page', 'app'] as const) {
      const { file, failed } = await make({
        ...page(
          { features: { items: [{ title: 'b' }] } },
          { hero: { title: 'c' } },
          { article: { parts: [{ heading: 'd' }] } },
        ),
        layout,
      })
      assert.deepEqual(failed, [])
      assert.deepEqual(file('page.html').toString().match(/<h\d/g), ['<h1', '<h2', '<h2', '<h2'])
    }
  })

  it('are refused where numbers lack labels, a text shows nothing, or a page is too high', async () => {
    const refused = (input: Input, param: string) =>
      assert.rejects(
        async () => await make(input),
        (error: unknown) => error instanceof Refusal && error.param === param,
      )
    await refused(
      page({ chart: { labels: ['a'], series: [{ values: [1, 2] }] } }),
      'input.blocks[0].chart.series[0].values',
    )
    await refused(page({ table: { columns: ['a', 'b'], rows: [['1']] } }), 'input.blocks[0].table.rows[0]')
    await refused(page({ hero: { title: '\u200b' } }), 'input.blocks[0].hero.title')
    await refused({ ...page({ hero: { title: 'a' } }), base_color: 'url(x)' }, 'input.base_color')
    await refused(
      page({ article: { parts: Array.from({ length: 40 }, () => ({ text: 'word '.repeat(700) })) } }),
      'input.blocks',
    )
  })

  it('are measured: a text that leaves its box, a script and a lost text are seen', async () => {
    const asked = brief({ ...example, viewports: ['mobile'] })
    const answer = await rules(asked)
    const failing = async (name: string, change: (text: string) => string) => {
      const artifacts = answer.artifacts?.map(each =>
        each.name === name ? { ...each, bytes: Buffer.from(change(Buffer.from(each.bytes).toString())) } : each,
      )
      const found = await checks(asked, { ...answer, artifacts: artifacts ?? [] })
      return found.flatMap(({ id, pass }) => (pass ? [] : id))
    }
    assert.deepEqual(await failing('mobile.svg', svg => svg.replace(/data-box="(\S+ \S+) \S+/, 'data-box="$1 5')), [
      'no_text_outside_its_box_px',
    ])
    assert.deepEqual(await failing('page.html', html => html.replace('</body>', '<script></script></body>')), [
      'no_html_scripts',
    ])
    assert.deepEqual(await failing('page.html', html => html.replace('href="#"', 'href="//x.example"')), [
      'no_html_outside_references',
    ])
    assert.deepEqual(await failing('page.html', html => html.replace('<h3', '<h4').replace('</h3', '</h4')), [
      'no_html_skipped_headings',
    ])
    assert.deepEqual(await failing('page.html', html => html.replace('Soil for two boxes', '')), [
      'no_texts_missing_on_the_page',
    ])
    assert.deepEqual(await failing('page.html', html => html.replace('</section>', '</p>')), ['no_html_errors'])
  })
})
