import { markColours } from '../colour/palette.ts'
import { pngOf } from '../picture/pixels.ts'
import { picture, rect, type Svg, text } from '../picture/svg.ts'
import { fitText } from '../type/set.ts'
import type { Brand } from './brand.ts'
import { drawMark, type MarkInk, placed } from './mark.ts'
import { tokensCss, tokensJson } from './tokens.ts'

export interface MadeFile {
  readonly name: string
  readonly media_type: string
  readonly purpose: string
  readonly bytes: Uint8Array
}

export function filesOf(brand: Brand): MadeFile[] {
  const { palette, direction, name } = brand
  const [main, second] = markColours(palette)
  const { neutral, brand: ramp, accent } = palette.ramps
  const onBase = palette.pairs.find(({ use }) => use === 'on-brand')?.text ?? '#ffffff'
  const light: MarkInk = { main, second, letter: '#ffffff' }
  const dark: MarkInk = { main: ramp[300], second: accent[300], letter: neutral[950] }
  const mark = drawMark(direction, brand, light)
  // On the tile of an app there is the base colour behind the mark.
  const tile = drawMark(direction, brand, { main: onBase, second: onBase, letter: palette.base })
  const icon = (padding: number) =>
    picture(
      { width: 96, height: 96 },
      name,
      rect({ x: 0, y: 0, width: 96, height: 96 }, palette.base),
      placed(tile, padding, padding, 96 - 2 * padding),
    )
  const bare = picture({ width: 96, height: 96 }, name, mark)
  const logos = [
    { name: 'logo', svg: logo(brand, mark, neutral[900]), purpose: 'Logo on a light ground.' },
    {
      name: 'logo-on-dark',
      svg: logo(brand, drawMark(direction, brand, dark), neutral[50], neutral[950]),
      purpose: 'Logo on a dark ground.',
    },
  ]
  const inOne = (ink: string) => logo(brand, drawMark(direction, brand, { main: ink, second: ink }), ink)
  const bareLogos = [
    {
      name: 'logo-light',
      svg: logo(brand, drawMark(direction, brand, dark), neutral[50]),
      purpose: 'Logo in light colours without a ground, to lay on dark pictures.',
    },
    { name: 'logo-black', svg: inOne('#000000'), purpose: 'Logo in black alone, without a ground.' },
    { name: 'logo-white', svg: inOne('#ffffff'), purpose: 'Logo in white alone, without a ground.' },
  ]
  const pngs = (prefix: string, svg: string, sizes: readonly number[], purpose: string) =>
    sizes.map(size => png(`${prefix}-${size}.png`, svg, size, `${purpose}, ${size} pixels wide.`))
  const drawnLogo = ({ name: prefix, svg, purpose }: (typeof logos)[number]) => [
    textFile(`${prefix}.svg`, 'image/svg+xml', svg, purpose),
    ...pngs(prefix, svg, [400, 1200], purpose.slice(0, -1)),
  ]
  return [
    ...logos.flatMap(drawnLogo),
    textFile('mark.svg', 'image/svg+xml', bare, 'The mark alone.'),
    ...pngs('mark', bare, [128, 512], 'The mark alone'),
    textFile('favicon.svg', 'image/svg+xml', bare, 'Favicon of browsers that take SVG.'),
    {
      name: 'favicon.ico',
      media_type: 'image/x-icon',
      purpose: 'Favicon of others, in 16, 32 and 48 pixels.',
      bytes: icoOf([16, 32, 48].map(size => ({ size, png: pngOf(bare, size) }))),
    },
    ...pngs('favicon', bare, [16, 32, 48], 'Favicon'),
    png('apple-touch-icon.png', icon(14), 180, 'Home screen of an iPhone.'),
    ...pngs('icon', icon(14), [192, 512], 'Icon of an app'),
    png('icon-maskable-512.png', icon(22), 512, 'Icon that the system cuts to its own shape.'),
    ...bareLogos.flatMap(drawnLogo),
    textFile('site.webmanifest', 'application/manifest+json', manifest(brand), 'Names the icons to browsers.'),
    textFile('tokens.css', 'text/css', tokensCss(brand), 'Design tokens as custom properties.'),
    textFile(
      'tokens.json',
      'application/design-tokens+json',
      tokensJson(brand),
      'Design tokens as the W3C community group writes them.',
    ),
  ]
}

/** The mark and the name beside it. */
function logo({ name, direction }: Brand, mark: Svg, ink: string, ground?: string): string {
  const height = 128
  const set = fitText(
    name,
    { family: direction.heading, weight: 600, size: 60, smallest: 16, leading: 1.08, tracking: -0.015 },
    { width: 620, height: 104 },
  )
  const width = Math.ceil(16 + 96 + 24 + set.width + 24)
  const behind = ground === undefined ? [] : [rect({ x: 0, y: 0, width, height }, ground)]
  const box = { x: 136, y: 12, width: width - 136 - 16, height: 104 }
  return picture({ width, height }, name, ...behind, placed(mark, 16, 16, 96), text(set, box, ink, 'start', 'middle'))
}

function manifest({ name, palette }: Brand): string {
  const icons = [
    { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: 'icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: 'icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ]
  return JSON.stringify(
    { name, icons, theme_color: palette.base, background_color: '#ffffff', display: 'standalone' },
    null,
    2,
  )
}

/** Pictures in an ICO file, each as PNG: a header of 6 bytes, 16 for each picture, then the pictures. */
function icoOf(pictures: readonly { readonly size: number; readonly png: Uint8Array }[]): Uint8Array {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [at, { size, png: bytes }] of pictures.entries()) {
    const entry = 6 + 16 * at
    head.set([size, size], entry)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(bytes.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += bytes.length
  }
  return new Uint8Array(Buffer.concat([head, ...pictures.map(({ png: bytes }) => bytes)]))
}

const textFile = (name: string, media_type: string, content: string, purpose: string): MadeFile => ({
  name,
  media_type,
  purpose,
  bytes: new TextEncoder().encode(content),
})

const png = (name: string, svg: string, width: number, purpose: string): MadeFile => ({
  name,
  media_type: 'image/png',
  purpose,
  bytes: pngOf(svg, width),
})
