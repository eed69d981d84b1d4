import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'

const schema = JSON.parse(readFileSync(new URL('output.schema.json', import.meta.url), 'utf8'))

const brief = (input: Partial<Input> = {}, seed = 1): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed,
  input: { name: 'Alder & Finch', ...input },
})

async function make(input: Partial<Input> = {}, seed = 1) {
  const asked = brief(input, seed)
  const answer = await rules(asked)
  assert.equal(faultsOf(schema, answer.result), undefined)
  const failed = checks(asked, answer).filter(({ pass }) => !pass)
  const bytes = (name: string) => {
    const found = answer.artifacts?.find(artifact => artifact.name === name)?.bytes
    assert.ok(found, `${name} is made`)
    return Buffer.from(found)
  }
  return { answer, failed, bytes, text: (name: string) => bytes(name).toString() }
}

describe('brand assets', () => {
  it('keep the base colour given, and every pair of colours can be read, whatever it is', async () => {
    for (const base_color of ['#1f6feb', 'yellow', '#000', '#fff', 'oklch(0.6 0.4 150)', '#777777']) {
      const { answer, failed } = await make({ base_color })
      assert.deepEqual(failed, [], base_color)
      assert.equal(answer.result.base.why, 'The base colour given.')
      for (const { use, contrast } of answer.result.pairs) assert.ok(contrast >= 4.5, `${base_color} ${use}`)
    }
    assert.equal((await make({ base_color: '#1f6feb' })).answer.result.base.hex, '#1f6feb')
  })

  it('have a mark that is seen on its ground, whatever the colour', async () => {
    for (const base_color of ['yellow', '#ffffff', '#fefefe', 'oklch(0.95 0.1 200)', '#000000', '#1f6feb'])
      for (let seed = 0; seed < 4; seed++)
        assert.deepEqual((await make({ base_color }, seed)).failed, [], `${base_color} ${seed}`)
  })

  it('are measured: each check is able to fail, and alone', async () => {
    const asked = brief({ base_color: '#1f6feb' })
    const answer = await rules(asked)
    const redrawn = (name: string, change: (file: Buffer) => string | Uint8Array) => ({
      ...answer,
      artifacts: (answer.artifacts ?? []).map(file =>
        file.name === name ? { ...file, bytes: Buffer.from(change(Buffer.from(file.bytes))) } : file,
      ),
    })
    const [first, ...pairs] = answer.result.pairs
    assert.ok(first)
    const pale = { ...answer.result, pairs: [{ ...first, text: '#aaaaaa' }, ...pairs] }
    const changed = {
      least_contrast_of_pairs: { ...answer, result: pale },
      least_contrast_of_the_logo: redrawn('logo-light.svg', svg =>
        String(svg).replace(/(class="text"[^>]*fill=)"[^"]*"/, '$1"#333333"'),
      ),
      least_contrast_of_the_mark: redrawn('mark.svg', svg => String(svg).replaceAll('#1f6feb', '#e8f0ff')),
      no_text_outside_its_box_px: redrawn('logo.svg', svg =>
        String(svg).replace(/data-box="(\S+ \S+) \S+/, 'data-box="$1 5'),
      ),
      pictures_of_their_size: redrawn('icon-192.png', png => png.fill(9, 16, 20)),
    }
    for (const [id, made] of Object.entries(changed)) {
      const failed = checks(asked, made).filter(({ pass }) => !pass)
      assert.deepEqual(
        failed.map(check => check.id),
        [id],
      )
    }
    assert.deepEqual(
      checks(asked, answer).map(({ id }) => id),
      Object.keys(changed),
    )
  })

  it('have logos to lay on pictures: without a ground, in light colours, in black and in white alone', async () => {
    // Of names that give each kind of mark.
    const marks = new Set<string>()
    for (let seed = 0; marks.size < 4 && seed < 40; seed++) {
      const { answer, bytes, text } = await make({}, seed)
      if (marks.has(answer.result.logo.mark)) continue
      marks.add(answer.result.logo.mark)
      for (const [name, inks] of Object.entries({
        'logo-black': ['#000000'],
        'logo-white': ['#ffffff'],
        'logo-light': undefined,
      })) {
        const { data, info } = await sharp(bytes(`${name}-400.png`))
          .raw()
          .toBuffer({ resolveWithObject: true })
        for (const corner of [0, info.width - 1, info.width * (info.height - 1)])
          assert.equal(data[4 * corner + 3], 0, `${name} lets through what is behind it`)
        const fills = new Set([...text(`${name}.svg`).matchAll(/ fill="(#\w+)"/g)].map(([, fill]) => fill))
        if (inks) assert.deepEqual([...fills], inks)
      }
    }
    assert.equal(marks.size, 4)
  })

  it('follow keywords by their words, not by parts of others', async () => {
    const why = async (keyword: string) => (await make({ keywords: [keyword] })).answer.result.base.why
    for (const said of ['garden', 'Gardening tools', 'art', 'Law firm', 'eco', 'bakery', 'health care', 'FinTech'])
      assert.equal(await why(said), 'A colour customary for a keyword given.', said)
    for (const said of [
      'smart',
      'lawn',
      'scarf',
      'department',
      'becoming',
      'carpet',
      'display',
      'defunct',
      'watermelon',
      'banksia',
    ])
      assert.equal(await why(said), 'By the seed.', said)
  })

  it('can be read at any seed', async () => {
    const name = fc.string({ unit: fc.constantFrom(...'abcÅßλЖשם عمन ก🚀-&'), minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(name, fc.nat(), async (inner, seed) => {
        assert.deepEqual((await make({ name: `A${inner}` }, seed)).failed, [])
      }),
      { numRuns: 40, seed: 1 },
    )
  })

  it('are pictures that open, in the sizes that they say', async () => {
    const { answer, bytes } = await make()
    const pictures = answer.artifacts?.filter(({ media_type }) => /^image\/(png|svg)/.test(media_type)) ?? []
    assert.ok(pictures.length > 12)
    for (const { name, bytes: picture } of pictures) {
      const { width, height } = await sharp(picture).metadata()
      const wanted = /-(\d+)\.png$/.exec(name)?.[1]
      if (wanted) assert.equal(width, Number(wanted), name)
      assert.ok(height > 0)
    }
    const ico = bytes('favicon.ico')
    assert.equal(ico.readUInt16LE(4), 3)
    for (const [at, size] of [16, 32, 48].entries()) {
      const [length, offset] = [ico.readUInt32LE(6 + 16 * at + 8), ico.readUInt32LE(6 + 16 * at + 12)]
      assert.equal((await sharp(ico.subarray(offset, offset + length)).metadata()).width, size)
    }
    const { icons } = JSON.parse(bytes('site.webmanifest').toString())
    for (const { src } of icons) assert.ok(bytes(src))
  })

  it('give tokens as CSS and as JSON that say the same', async () => {
    const { text, answer } = await make()
    const json = JSON.parse(text('tokens.json'))
    const css = text('tokens.css')
    for (const { name, steps } of answer.result.ramps)
      for (const { step, hex } of steps) {
        assert.equal(json.color[name][step].$value.hex, hex)
        const { $extensions } = json.color[name][step]
        assert.match($extensions['millhand.oklch'], /^oklch\(0\.\d+ \d\.\d+ \d+\.\d+\)$/)
        assert.ok(css.includes(`--color-${name}-${step}: ${hex}; /* ${$extensions['millhand.oklch']} */`))
      }
    for (const use of ['success', 'on-success', 'warning', 'on-warning', 'error', 'on-error'])
      for (const theme of ['light', 'dark']) assert.match(json.color[theme][use].$value.hex, /^#/, `${theme} ${use}`)
    assert.equal(json.type.body.$value.fontSize.value, 16)
  })

  it('are others at another seed', async () => {
    const logos = await Promise.all([1, 2, 3, 4].map(async seed => (await make({}, seed)).text('logo.svg')))
    assert.equal(new Set(logos).size, 4)
    assert.equal((await make({}, 3)).text('logo.svg'), logos[2])
  })

  it('hold nothing of a hostile name but its letters', async () => {
    const hostile = '"/><script>alert(1)</script><a onclick="x">\u202e\u200b ignore all'
    const { answer, failed } = await make({ name: hostile, keywords: ['</style><script>', 'url(http://x.example)'] })
    assert.deepEqual(failed, [])
    for (const { media_type, bytes } of answer.artifacts ?? [])
      if (!media_type.startsWith('image/png') && media_type !== 'application/manifest+json')
        assert.doesNotMatch(Buffer.from(bytes).toString(), /<script|<a |onclick="|javascript:|http:\/\/x\.example/)
    assert.doesNotMatch(answer.result.brand, /[\u202e\u200b]/)
  })

  it('refuse what is no colour, and letters that no typeface here has', async () => {
    const refused = (input: Partial<Input>, param: string) =>
      assert.rejects(
        async () => await make(input),
        (error: unknown) => error instanceof Refusal && error.param === param,
      )
    for (const base_color of [
      'red;}body{display:none',
      'url(x)',
      'oklch(NaN 0 0)',
      'javascript:1',
      '#12',
      'transparent; x',
    ])
      await refused({ base_color }, 'input.base_color')
    await refused({ name: '𒀀𒀁' }, 'input.name')
    await refused({ name: '\u200b\u200b' }, 'input.name')
  })

  it('of a name of 100,000 characters are made all the same', async () => {
    assert.deepEqual((await make({ name: 'x'.repeat(100_000) })).failed, [])
    assert.deepEqual((await make({ name: `Z${'\u0301'.repeat(100_000)}` })).failed, [])
  })
})
