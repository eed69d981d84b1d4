import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import type { Loaded } from '@millhand/child-process'
import sharp from 'sharp'
import { ask, dataUri, fixture, item, shippedModel, start } from '../../models.fixture.ts'
import { type Page, tiffOf } from '../tiff.fixture.ts'

const SENTENCE = [
  'The analytical engine weaves',
  'algebraic patterns just as the',
  'Jacquard loom weaves flowers',
].join('\n')

const pp = shippedModel('pp-ocr-v4')
let model: Loaded
before(async () => {
  model = await start(pp, { memoryLimitBytes: 1024 * 2 ** 20, threads: 2 })
})
after(() => model.kill())

const png = (name: string) => dataUri('image/png', fixture(name))

for (const name of ['sentence', 'sentence-turned', 'sentence-upside-down', 'sentence-white-on-black']) {
  test(`reads ${name} without a fault`, async () => {
    const { text, lines } = await ask(model, png(`${name}.png`))
    assert.equal(text, SENTENCE)
    for (const line of lines) assert.ok(line.confidence > 0.9, `${line.text}: ${line.confidence}`)
  })
}

test('reads a receipt, the prices beside what they are for', async () => {
  const { text, width, height } = await ask(model, png('receipt.png'))
  assert.equal(
    text,
    'CORNER COFFEE\n12 Mill Lane, Bristol\nFlat white 3.40\nAlmond croissant 2.95\nOrange juice 3.10\nTOTAL 9.45\nThank you!',
  )
  assert.deepEqual([width, height], [460, 390])
})

test('reads a photo of a sign, noisy, blurred, turned', async () => {
  const { text } = await ask(model, dataUri('image/jpeg', fixture('sign-noisy.jpg')))
  assert.equal(text, 'PLATFORM 9\nMind the gap')
})

test('a box has the four corners of its line, from the text’s top left, clockwise', async () => {
  const near = (found: number[], wanted: number[]) =>
    found.every((value, axis) => Math.abs(value - (wanted[axis] as number)) <= 8)
  const [line] = (await ask(model, png('sentence.png'))).lines
  for (const [index, corner] of [
    [40, 52],
    [545, 54],
    [545, 89],
    [40, 89],
  ].entries()) {
    assert.ok(near(line.box[index], corner), `corner ${index} is ${line.box[index]}`)
  }
  // Upside down the text's top left is the picture's lower right.
  const [turned] = (await ask(model, png('sentence-upside-down.png'))).lines
  assert.ok(near(turned.box[0], [600, 198]), `it is ${turned.box[0]}`)
})

test('the example of its manifest is read', async () => {
  assert.equal((await ask(model, pp.exampleInput as string)).text, 'Hello, mill!')
})

test('other formats, transparency and the turn that a camera notes make no difference', async () => {
  const picture = sharp(fixture('sentence.png'))
  const variants: [mediaType: string, bytes: Uint8Array][] = [
    ['image/webp', await picture.clone().webp().toBuffer()],
    ['image/gif', await picture.clone().gif().toBuffer()],
    ['image/tiff', await picture.clone().tiff().toBuffer()],
    ['image/jpeg', await picture.clone().rotate(90).withMetadata({ orientation: 8 }).jpeg({ quality: 95 }).toBuffer()],
    ['image/png', await picture.clone().unflatten().png().toBuffer()],
  ]
  for (const [mediaType, bytes] of variants) {
    const { text, width, height } = await ask(model, dataUri(mediaType, bytes))
    assert.equal(text, SENTENCE, mediaType)
    assert.deepEqual([width, height], [640, 250], mediaType)
  }
})

test('what is transparent is a ground from which the letters stand out', async () => {
  const one = { raw: { width: 640, height: 250, channels: 1 } } as const
  // The darkness of the picture is the opacity of letters of one colour.
  const opacity = sharp(fixture('sentence.png')).greyscale().toColourspace('b-w').negate().raw()
  const letters = async (colour: string) =>
    sharp({ create: { width: 640, height: 250, channels: 3, background: colour } })
      .joinChannel(await opacity.toBuffer(), one)
      .toColourspace('srgb')
  for (const colour of ['#fff', '#ffd', '#111'])
    assert.equal(
      (await ask(model, dataUri('image/png', await (await letters(colour)).png().toBuffer()))).text,
      SENTENCE,
    )
  const white = await letters('#fff')
  const grey = sharp(Buffer.alloc(640 * 250, 255), one)
    .joinChannel(await opacity.toBuffer(), one)
    .toColourspace('b-w')
  for (const [mediaType, bytes] of [
    ['image/webp', await white.clone().webp({ lossless: true }).toBuffer()],
    ['image/tiff', await white.clone().tiff().toBuffer()],
    ['image/png', await white.clone().png({ palette: true }).toBuffer()],
    ['image/png', await grey.png().toBuffer()],
  ] as const)
    assert.equal((await ask(model, dataUri(mediaType, bytes))).text, SENTENCE, mediaType)
})

test('white and black letters on one transparent ground are both read', async () => {
  const one = { raw: { width: 640, height: 250, channels: 1 } } as const
  const opacity = await sharp(fixture('sentence.png')).greyscale().toColourspace('b-w').negate().raw().toBuffer()
  const letters = (background: string) =>
    sharp({ create: { width: 640, height: 250, channels: 3, background } })
      .joinChannel(opacity, one)
      .toColourspace('srgb')
      .png()
      .toBuffer()
  const both = sharp({ create: { width: 640, height: 500, channels: 4, background: '#0000' } }).composite([
    { input: await letters('#fff'), left: 0, top: 0 },
    { input: await letters('#000'), left: 0, top: 250 },
  ])
  const { text } = await ask(model, dataUri('image/png', await both.png().toBuffer()))
  assert.equal(text, `${SENTENCE}\n${SENTENCE}`)
})

test('letters that are half transparent are read: white, pale and black ones', async () => {
  const one = { raw: { width: 640, height: 250, channels: 1 } } as const
  const half = await sharp(fixture('sentence.png'))
    .greyscale()
    .toColourspace('b-w')
    .negate()
    .linear(0.5, 0)
    .raw()
    .toBuffer()
  for (const background of ['#fff', '#ffd', '#111']) {
    const letters = sharp({ create: { width: 640, height: 250, channels: 3, background } }).joinChannel(half, one)
    const picture = dataUri('image/png', await letters.toColourspace('srgb').png().toBuffer())
    assert.equal((await ask(model, picture)).text, SENTENCE, background)
  }
})

/** The lines of the sentence so many times one after the other, in a picture of one line. */
async function strip(times: number): Promise<Buffer> {
  const [width, height] = [580, 46]
  const rows = await Promise.all(
    [46, 106, 166].map(top => sharp(fixture('sentence.png')).extract({ left: 35, top, width, height }).toBuffer()),
  )
  const all = Array.from({ length: times }, () => rows).flat()
  const ground = { width: all.length * width, height, channels: 3, background: '#fff' } as const
  return await sharp({ create: ground })
    .composite(all.map((input, index) => ({ input, left: index * width, top: 0 })))
    .png()
    .toBuffer()
}

for (const [times, turn] of [
  [1, 0],
  [1, 180],
  [1, 90],
  [2, 0],
] as const)
  test(`reads a strip of ${times * 38} to 1, turned by ${turn} degrees`, async () => {
    const picture = await sharp(await strip(times))
      .rotate(turn)
      .png()
      .toBuffer()
    const { text } = await ask(model, dataUri('image/png', picture))
    assert.equal(text.replaceAll('\n', ' '), Array(times).fill(SENTENCE).join(' ').replaceAll('\n', ' '))
  })

async function pageOf(name: string, subfileType = 0): Promise<Page> {
  const { data, info } = await sharp(fixture(name))
    .greyscale()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, pixels: new Uint8Array(data), subfileType }
}
const blank = (width: number, height = width): Page => ({
  width,
  height,
  pixels: new Uint8Array(width * height).fill(255),
})

test('further pages of a TIFF are read, without smaller copies, and each line says on which it stands', async () => {
  const fractions: number[] = []
  const tiff = tiffOf(
    await pageOf('sentence.png'),
    await pageOf('sentence.png', 1),
    blank(40),
    await pageOf('receipt.png'),
  )
  const { items } = await model.run([item(dataUri('image/tiff', tiff))], async (_, emission) => {
    if (emission.kind === 'progress') fractions.push(emission.fraction)
  })
  const [result] = items
  assert.ok(result?.ok && 'output' in result)
  const { text, lines, width, height, pages, pages_not_read: left } = JSON.parse(result.output.toString())
  assert.ok(text.startsWith(`${SENTENCE}\nCORNER COFFEE\n`), text)
  const sizes = [
    { page: 1, width: 640, height: 250 },
    { page: 3, width: 40, height: 40 },
    { page: 4, width: 460, height: 390 },
  ]
  assert.deepEqual([width, height, pages, left], [640, 250, sizes, 0])
  const counts = Map.groupBy(lines as { page: number }[], ({ page }) => page)
  assert.deepEqual([...counts.keys()], [1, 4])
  assert.equal(counts.get(1)?.length, 3)
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  )
  assert.equal(fractions.at(-1), 1)
})

test('of very many and of very large pages the first are read, and the others counted', async () => {
  const many = await ask(model, dataUri('image/tiff', tiffOf(...Array.from({ length: 23 }, () => blank(9)))))
  assert.equal(many.pages.length, 20)
  assert.equal(many.pages_not_read, 3)
  // Of six, the sixth is beyond 200 million pixels.
  const large = sharp({ create: { width: 6200, height: 6200, channels: 3, background: '#fff' } })
  const page = await large.greyscale().toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()
  const answer = await ask(model, dataUri('image/tiff', repeated(page, 6)))
  assert.deepEqual(
    answer.pages.map(({ page: of }: { page: number }) => of),
    [1, 2, 3, 4, 5],
  )
  assert.equal(answer.pages_not_read, 1)
})

/** A TIFF whose one page comes again: a copy of its directory each, that points to the same pixels. */
function repeated(tiff: Buffer, times: number): Buffer {
  const first = tiff.readUInt32LE(4)
  const length = 2 + tiff.readUInt16LE(first) * 12
  const copies = Array.from({ length: times }, (_, index) => {
    const next = Buffer.alloc(4)
    if (index < times - 1) next.writeUInt32LE(tiff.length + (index + 1) * (length + 4))
    return Buffer.concat([tiff.subarray(first, first + length), next])
  })
  const whole = Buffer.concat([tiff, ...copies])
  whole.writeUInt32LE(tiff.length, 4)
  return whole
}

test('pictures without text give no lines', async () => {
  for (const [width, height] of [
    [1, 1],
    [3, 900],
    [400, 300],
  ] as const) {
    const blank = sharp({ create: { width, height, channels: 3, background: '#fff' } })
    const answer = await ask(model, dataUri('image/png', await blank.png().toBuffer()))
    assert.deepEqual(answer, { text: '', lines: [], width, height })
  }
})

test('each line comes as it is read, and how far it is', async () => {
  const pieces: { text: string }[] = []
  const fractions: number[] = []
  const { items } = await model.run([item(png('receipt.png'))], async (_, emission) => {
    if (emission.kind === 'output') pieces.push(JSON.parse(emission.json))
    if (emission.kind === 'progress') fractions.push(emission.fraction)
  })
  const [result] = items
  assert.ok(result?.ok && 'output' in result)
  const { lines } = JSON.parse(result.output.toString())
  const byText = (a: { text: string }, b: { text: string }) => (a.text < b.text ? -1 : 1)
  assert.ok(lines.length >= 7)
  assert.deepEqual([...pieces].sort(byText), [...lines].sort(byText))
  assert.ok(fractions.length >= 3, `${fractions}`)
  assert.deepEqual(
    fractions,
    [...fractions].sort((a, b) => a - b),
  )
  assert.equal(fractions.at(-1), 1)
})

/** A PNG of one bit a pixel, all black, whose pixels take almost no bytes. */
function onePixelColour(width: number, height: number, pixels: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const chunks: [string, Uint8Array][] = [
    ['IHDR', header],
    ['IDAT', deflateSync(pixels)],
    ['IEND', Buffer.alloc(0)],
  ]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks.map(chunk)])
}

function chunk([name, data]: [string, Uint8Array]): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

test('pictures that lie or are broken are refused, and the model lives on', async () => {
  const whole = fixture('sign-noisy.jpg')
  const row = Math.ceil(20_000 / 8) + 1
  const refused: [what: string, input: string, says: RegExp][] = [
    [
      'a bomb',
      dataUri('image/png', onePixelColour(20_000, 20_000, Buffer.alloc(row * 20_000))),
      /more than 40 million/,
    ],
    ['a lying header', dataUri('image/png', onePixelColour(6000, 6000, Buffer.alloc(10))), /cannot be read/],
    ['a JPEG cut off', dataUri('image/jpeg', whole.subarray(0, whole.length / 2)), /cannot be read/],
    ['a head alone', dataUri('image/jpeg', whole.subarray(0, 20)), /cannot be read/],
    [
      'noise after the head',
      dataUri('image/png', Buffer.concat([onePixelColour(8, 8, Buffer.alloc(0)).subarray(0, 40), whole])),
      /cannot be read/,
    ],
    [
      'SVG in disguise',
      dataUri('image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      /is no image\/png/,
    ],
    [
      'a TIFF of 1,001 pages',
      dataUri('image/tiff', tiffOf(...Array.from({ length: 1001 }, () => blank(1)))),
      /the TIFF has more than 1000 pages/,
    ],
    [
      'a TIFF that ends within its second page',
      dataUri('image/tiff', tiffOf(blank(9), blank(90)).subarray(0, -4_000)),
      /^page 2: the picture cannot be read/,
    ],
    [
      'a TIFF that ends before its second page',
      dataUri('image/tiff', tiffOf(blank(9), blank(90)).subarray(0, -8_200)),
      /the TIFF ends before its page 2/,
    ],
    ['a TIFF cut off', dataUri('image/tiff', tiffOf(blank(90)).subarray(0, -4_000)), /the picture cannot be read/],
    ['no base64', 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg!!!', /not base64/],
    ['no data URI', 'hello', /must be a data URI/],
  ]
  for (const [what, input, says] of refused) {
    const [result] = (await model.run([item(input)])).items
    assert.ok(result && !result.ok, what)
    assert.equal(result.code, 'model_input_invalid', `${what}: ${result.message}`)
    assert.match(result.message, says, what)
  }
  assert.equal((await ask(model, png('sentence.png'))).text, SENTENCE)
})
