import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { pngOf } from '../picture/pixels.ts'
import { checks } from './checks.ts'
import { depict } from './depict.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'

const schema = (name: string) => JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'))
const [asked, given] = [schema('input'), schema('output')]

const brief = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })

async function make(input: Input) {
  assert.equal(faultsOf(asked, input), undefined)
  const answer = await rules(brief(input))
  assert.equal(faultsOf(given, answer.result), undefined)
  assert.deepEqual(
    checks(brief(input), answer).filter(({ pass }) => !pass),
    [],
  )
  const file = (name: string) => Buffer.from(answer.artifacts?.find(artifact => artifact.name === name)?.bytes ?? [])
  return { ...answer, svg: file('image.svg').toString(), png: file('image.png') }
}

const chart = (input: Partial<Input['chart']>): Input => ({
  picture: 'chart',
  title: 'Orders',
  theme: 'light',
  chart: { type: 'line', labels: ['a', 'b', 'c'], series: [{ values: [0, 5, 10] }], ...input },
})

const linesOf = (svg: string) =>
  [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map(point => point.split(',').map(Number) as [number, number]),
  )

describe('charts', () => {
  it('draw a line through its numbers, as high as they are', async () => {
    const [line = []] = linesOf((await make(chart({}))).svg)
    const [[x0, y0] = [0, 0], [x1, y1] = [0, 0], [x2, y2] = [0, 0]] = line
    assert.ok(Math.abs(x1 - x0 - (x2 - x1)) < 0.1, 'places are evenly apart')
    assert.ok(Math.abs(y0 - y1 - (y1 - y2)) < 0.1 && y0 > y2, 'and 5 is half as high as 10')
  })

  it('draw several lines in colours and dashes of their own, each named', async () => {
    const series = ['One', 'Two', 'Three', 'Four'].map((name, at) => ({ name, values: [at, at + 1, at + 2] }))
    for (const theme of ['light', 'dark', 'brand'] as const) {
      const { svg } = await make({ ...chart({ series }), theme })
      const styles = [...svg.matchAll(/<polyline [^>]*stroke="([^"]+)"[^>]*?(?:stroke-dasharray="([^"]+)")?\/>/g)]
      // Each once in the legend and once in the chart.
      assert.equal(new Set(styles.map(([, colour, dashes]) => `${colour} ${dashes}`)).size, 4, theme)
      for (const { name } of series) assert.ok(svg.includes(`aria-label="${name}"`), name)
    }
  })

  it('give each of several series a fill of its own, and tell which colours were drawn', async () => {
    const series = ['One', 'Two', 'Three', 'Four'].map((name, at) => ({ name, values: [at + 1, at + 2, at + 3] }))
    for (const theme of ['light', 'dark', 'brand'] as const)
      for (const base_color of ['#2f6f4e', '#1f6feb', '#777777', '#ffffff', '#000000']) {
        const { svg, result } = await make({ ...chart({ type: 'bar', series }), theme, base_color })
        const legend = [...svg.matchAll(/<circle [^>]*fill="([^"]+)"/g)].map(([, fill]) => fill)
        assert.equal(new Set(legend).size, 4, `${theme} ${base_color}`)
        assert.deepEqual(result.colours.shapes, legend)
      }
    for (const title of ['A', 'B', 'C', 'D', 'E', 'F']) {
      const { svg, result } = await make({ picture: 'social_card', title, width: 2400, height: 630 })
      for (const colour of result.colours.shapes) assert.ok(svg.includes(`fill="${colour}"`), `${title}: ${colour}`)
    }
  })

  it('hold numbers that are all the same, negative, tiny, huge, single or many', async () => {
    for (const values of [
      [7, 7, 7],
      [-3, -2, -1],
      [1e-12, 2e-12, 0],
      [1e15, -1e15, 0],
      [0, 0, 0],
    ])
      for (const type of ['bar', 'line'] as const) {
        const { svg } = await make(chart({ type, series: [{ values }] }))
        assert.doesNotMatch(svg, /NaN|Infinity/, `${type} ${values}`)
      }
    await make(chart({ labels: ['only'], series: [{ values: [1] }] }))
    const many = Array.from({ length: 60 }, (_, at) => at)
    await make(chart({ labels: many.map(at => `Week ${at}`), series: [{ values: many }] }))
  })

  it('say each value where it has room', async () => {
    const said = async (given: Partial<Input['chart']>) => {
      const { svg } = await make(chart(given))
      return [...svg.matchAll(/<path class="text" [^>]*aria-label="([^"]*)"/g)].map(([, text]) => text)
    }
    const few = [42, -58.5, 71]
    for (const type of ['bar', 'line'] as const)
      for (const value of few)
        assert.ok((await said({ type, series: [{ values: few }] })).includes(String(value)), `${type} ${value}`)
    const many = Array.from({ length: 60 }, (_, at) => 100_001 + at)
    const crowded = await said({ type: 'bar', labels: many.map(String), series: [{ values: many }] })
    assert.ok(!crowded.includes('100,031'), 'sixty bars have none')
    const full = await said({ type: 'bar', series: [{ values: [11_393, 656, 2500] }] })
    for (const number of ['11,393', '656', '2,500']) assert.ok(full.includes(number), `${number} of ${full}`)
    const short = await said({ type: 'bar', series: [{ values: [125_500, 64_000, 0] }] })
    for (const number of ['125.5K', '64K']) assert.ok(short.includes(number), `${number} of ${short}`)
    const profit = [30, 39, 30, 43, 53, 48, 48, 54, -14, -32, -37, 2]
    const revenue = [120, 131, 125, 140, 152, 149, 151, 158, 91, 72, 64, 99]
    const lines = { type: 'line' as const, labels: profit.map((_, at) => `${at + 1}.`) }
    const lowest = await said({ ...lines, series: [{ values: revenue }, { values: profit }] })
    assert.ok(lowest.includes('-37'), `the lowest of ${lowest}`)
  })

  it('lay bars down where their labels are long, each as long as its number', async () => {
    const labels = ['Somebody who knows how to prune apple trees', 'A place with enough sun', 'Money']
    const { svg, result } = await make(chart({ type: 'bar', labels, series: [{ values: [10, 5, 0] }] }))
    const bars = [...svg.matchAll(/<rect [^>]*width="([\d.]+)" height="[\d.]+" fill="#[0-9a-f]{6}" rx=/g)]
    const [long = 0, half = 0, none = 1] = bars.map(([, wide]) => Number(wide))
    assert.ok(long > 200 && Math.abs(long / half - 2) < 0.01 && none === 0, `${long} ${half} ${none}`)
    assert.deepEqual(result.cut, [])
  })

  it('tell their numbers to those who do not see them, and which of their texts are cut', async () => {
    const long = 'Donaudampfschiff'.repeat(12)
    const series = [
      { name: 'Bed 1', values: [1, 2, 3] },
      { name: long, values: [4, 5, 0.125] },
    ]
    const { result, warnings = [] } = await make(chart({ series, labels: ['a', long, 'c'], unit: 'mm' }))
    assert.match(result.alternative, /^Orders\. mm\. Bed 1: a 1, Dona\S+ 2, c 3\. Dona\S+: a 4, Dona\S+ 5, c 0\.125\.$/)
    assert.deepEqual(result.cut, ['chart.labels[1]', 'chart.series[1].name'])
    assert.match(warnings.join(), /chart\.labels\[1\], chart\.series\[1\]\.name/)
    const legend = { name: 'word '.repeat(12).trim(), values: [1, 2, 3] }
    const narrow = await make(chart({ series: [legend, legend, legend, legend] }))
    assert.equal(narrow.result.cut.length, 4, 'a legend within the limit that has no room is said to be cut')
  })
})

describe('pictures', () => {
  it('of the smallest, the largest, the widest and the highest size are of that size', async () => {
    for (const [width, height] of [
      [320, 240],
      [2400, 2400],
      [2400, 240],
      [320, 2400],
    ] as const)
      for (const picture of ['social_card', 'chart', 'pattern'] as const) {
        const { png } = await make({ ...chart({}), picture, width, height, subtitle: 'And what follows from it' })
        const meta = await sharp(png).metadata()
        assert.deepEqual([meta.width, meta.height], [width, height], picture)
      }
  })

  it('hold whole squares, none of them cut at an edge', async () => {
    for (const [width, height] of [
      [1200, 630],
      [1080, 1350],
      [1500, 500],
      [700, 699],
    ] as const)
      for (const picture of ['social_card', 'pattern'] as const) {
        const { svg } = await make({ picture, title: 'A', width, height })
        const [, wide, high] = /<svg x="[^"]*" y="[^"]*" width="([^"]*)" height="([^"]*)"/.exec(svg) ?? []
        const squares = [...svg.matchAll(/translate\((\S+) (\S+)\) scale\((\S+) ([^)]+)\)/g)].map(all =>
          all.map(Number),
        )
        const right = Math.max(...squares.map(([, x = 0, , across = 0]) => x + 100 * across))
        const bottom = Math.max(...squares.map(([, , y = 0, , down = 0]) => y + 100 * down))
        assert.ok(Math.abs(right - Number(wide)) < 0.1 && Math.abs(bottom - Number(high)) < 0.1, `${right} ${bottom}`)
        for (const [, , , across = 0, down = 1] of squares)
          assert.ok(Math.max(across / down, down / across) < 1.1, `${picture} ${width}x${height}: ${across} ${down}`)
      }
  })

  it('cut huge texts, and say so', async () => {
    const { result, warnings = [] } = await make({
      picture: 'social_card',
      title: 'word '.repeat(400).trim(),
      subtitle: 'word '.repeat(800).trim(),
      width: 320,
      height: 240,
    })
    assert.deepEqual(result.cut.toSorted(), ['subtitle', 'title'])
    assert.match(result.alternative, /^word .*…/)
    assert.match(warnings.join(), /had room/)
  })

  it('hold 10,000 letters without a space', async () => {
    // More than the schema lets in: whoever calls the engine otherwise gets a picture too.
    for (const letter of ['x', 'W', 'ب', '🚀', 'ก'])
      for (const picture of ['social_card', 'chart'] as const) {
        const input = { ...chart({}), picture, title: letter.repeat(10_000), subtitle: letter.repeat(10_000) }
        const answer = await rules(brief(input))
        assert.deepEqual(
          checks(brief(input), answer).filter(({ pass }) => !pass),
          [],
        )
      }
  })

  it('hold nothing of a hostile text but its letters', async () => {
    const hostile =
      '<svg onload=alert(1)><script>alert(1)</script>]]><!ENTITY x SYSTEM "file:///etc/passwd">&x; url(javascript:1) " onclick="x'
    for (const picture of ['social_card', 'banner', 'chart'] as const) {
      const input = { ...chart({ labels: [hostile.slice(0, 100), 'b', 'c'], unit: hostile.slice(0, 100) }), picture }
      const { svg, result } = await make({
        ...input,
        title: hostile,
        subtitle: hostile,
        label: hostile,
        footer: hostile,
      })
      assert.doesNotMatch(svg, /<script|<!ENTITY|<svg onload|" onclick="/)
      assert.match(result.alternative, /<script>/, 'a reader hears what is written')
    }
  })

  it('draw no sign that hides, turns or controls what others see', async () => {
    const title = 'pay\u202Eexe\u202C \u200B\u200D\u2060\uFEFF\u0000\u0007\u001B[31m\u2066now\u2069 \uD800'
    const { result, svg } = await make({ picture: 'banner', title, footer: 'a\u0000b' })
    assert.match(result.alternative, /^payexe .*now/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    assert.doesNotMatch(svg, /[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800]/)
  })

  it('set right-to-left texts and emojis', async () => {
    for (const title of ['مرحبا بالعالم', 'שלום עולם', 'Hello שלום 123', '🚀👩‍👩‍👧🏳️‍🌈 launch'])
      assert.equal((await make({ picture: 'social_card', title })).result.cut.length, 0, title)
  })

  it('are measured: each check is able to fail, and alone', async () => {
    const title = 'A harbour'
    const asked = brief({ picture: 'social_card', title, footer: 'In May', width: 400, height: 300 })
    const card = await rules(asked)
    const taken = brief({ ...asked.input, picture: 'photograph', subject: title })
    const photograph = await depict(taken, async ({ width, height }) => {
      const stop = (offset: number, colour: string) => `<stop offset="${offset}" stop-color="${colour}"/>`
      const shade = `<linearGradient id="a">${stop(0, '#123')}${stop(1, '#bcd')}</linearGradient>`
      const ground = `<rect width="${width}" height="${height}" fill="url(#a)"/>`
      return pngOf(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shade}${ground}</svg>`,
      )
    })
    const redrawn = (answer: typeof card, name: string, change: (file: Buffer) => string | Uint8Array) => ({
      ...answer,
      artifacts: (answer.artifacts ?? []).map(file =>
        file.name === name ? { ...file, bytes: Buffer.from(change(Buffer.from(file.bytes))) } : file,
      ),
    })
    const drawn = (from: string | RegExp, to: string) =>
      redrawn(card, 'image.svg', svg => String(svg).replace(from, to))
    const chunk = Buffer.concat([Buffer.from([0, 0, 0, 3]), Buffer.from('tEXta\0b'), Buffer.alloc(4)])
    const changed = {
      no_text_outside_its_box_px: drawn(/data-box="(\S+ \S+) \S+/, 'data-box="$1 5'),
      no_texts_that_overlap: drawn(/<path class="text"[^>]*>/, '$&$&'),
      least_contrast: drawn(/(class="text"[^>]*fill=)"[^"]*"/, `$1"${card.result.colours.ground}"`),
      size_px: redrawn(card, 'image.png', () =>
        pngOf('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      ),
      no_files_with_script_or_links: drawn('</svg>', '<script></script></svg>'),
      spread_of_light: redrawn(photograph, 'photograph.png', () =>
        pngOf(
          '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><path d="M0 0H400V300H0Z" fill="#456"/></svg>',
        ),
      ),
      no_metadata_bytes: redrawn(photograph, 'image.png', png =>
        Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]),
      ),
    }
    const several = brief(chart({ series: [{ values: [1, 2, 3] }, { values: [3, 2, 1] }] }))
    const plotted = await rules(several)
    const { colours } = plotted.result
    const alike = { ...plotted.result, colours: { ...colours, shapes: colours.shapes.slice(1) } }
    assert.deepEqual(
      checks(several, { ...plotted, result: alike }).flatMap(check => (check.pass ? [] : check.id)),
      ['colours_of_series'],
    )
    for (const [id, answer] of Object.entries(changed))
      assert.deepEqual(
        checks(asked, answer).flatMap(check => (check.pass ? [] : check.id)),
        [id],
      )
    for (const answer of [card, photograph]) assert.ok(checks(asked, answer).every(({ pass }) => pass))
    assert.deepEqual(
      checks(taken, photograph).map(({ id }) => id),
      Object.keys(changed),
    )
  })

  it('of a photograph are refused: what would make it possible is said', async () => {
    await assert.rejects(
      async () => rules(brief({ picture: 'photograph', title: 'A harbour' })),
      (error: unknown) =>
        error instanceof Refusal &&
        error.param === 'input.picture' &&
        /needs an image model: MILLHAND_IMAGE_URL sets/.test(error.message),
    )
  })
})
