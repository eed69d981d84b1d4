/** Pictures from hostile bytes: raster formats only, no more pixels than the limit, whole files only. */
import { excerpt, InputInvalid } from '@millhand/model'
import sharp, { type Sharp } from 'sharp'
import { pagesOf } from './tiff-pages.ts'

// Of libvips' many loaders (SVG, PDF, ImageMagick and more) only those of the formats that the contract names.
const FORMATS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Tiff']
const LOADERS = FORMATS.flatMap(format => [`${format}Buffer`, `${format}File`])
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS.map(loader => `VipsForeignLoad${loader}`) })
sharp.cache(false)

/** As phones make them; some 120 MB when unpacked. */
const MAX_PIXELS = 40_000_000
/** To resize a strip of one by 40 million pixels takes 6 s of processor time, where a square of as many takes 0.2 s. */
const MAX_SIDE = 32_768
/** Of the longer side to the shorter, where the longer is over `LONG_SIDE`. */
const MAX_RATIO = 200
const LONG_SIDE = 4_096

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Row by row, `channels` bytes a pixel. */
  readonly data: Uint8Array
  readonly channels: 1 | 3
}

/**
 * A picture, its bytes or the path of its file, opened the right way up; where it is transparent, on `white`, or on what its opaque
 * pixels stand out from. Of several pages the one of that number, from 0. Rejects with `InputInvalid`, before anything is decoded, when
 * its head cannot be read or says that its sides are not within bounds.
 */
export async function openPicture(
  source: Uint8Array | string,
  ground: 'white' | 'contrasting' = 'white',
  page = 0,
): Promise<Sharp> {
  // Before it is opened, which takes long where there are very many.
  if (page === 0) await pagesOf(source)
  const opened = sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', page })
  const { width, height, hasAlpha, depth, format } = await opened.metadata().catch(error => {
    throw unreadable(error)
  })
  checkSides(width, height)
  // A TIFF whose strips lie past its end is cut off as well, and black there.
  const stored = format === 'tiff' ? sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'error', page }) : opened
  const picture = depth === 'uchar' ? stored : await inBytes(stored, depth)
  const background = ground === 'contrasting' && hasAlpha ? await contrastTo(picture) : '#fff'
  return picture.autoOrient().flatten({ background })
}

/**
 * A picture of 8 bits, over which the values that are there are spread: instruments write 10 or 12 bits into 16, and numbers of any size
 * into 32. Values that fill their range stay as they are.
 */
async function inBytes(picture: Sharp, depth: string | undefined): Promise<Sharp> {
  try {
    const [factor, offset] = await scaleOf(picture, depth)
    const spread = picture.autoOrient().linear(factor, offset).toColourspace('srgb').raw({ depth: 'uchar' })
    const { data, info } = await spread.toBuffer({ resolveWithObject: true })
    return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
  } catch (error) {
    throw unreadable(error)
  }
}

async function scaleOf(picture: Sharp, depth: string | undefined): Promise<[factor: number, offset: number]> {
  if (depth === 'ushort') {
    const { channels } = await picture.stats()
    const most = Math.max(1, ...channels.map(({ max }) => max))
    return [65_535 / (2 ** Math.ceil(Math.log2(most + 1)) - 1), 0]
  }
  const [least, most] = await rangeOf(picture)
  if (least >= 0 && most <= 1) return [255, 0]
  const isBeyond = (least < 0 || most > 255) && Number.isFinite(most - least) && most > least
  return isBeyond ? [255 / (most - least), (-255 * least) / (most - least)] : [1, 0]
}

/** The least and the greatest value of a picture, of a million of its pixels at most. */
async function rangeOf(picture: Sharp): Promise<[least: number, most: number]> {
  const small = picture.clone().resize(1000, 1000, { fit: 'inside', withoutEnlargement: true, kernel: 'nearest' })
  const bytes = await small.removeAlpha().raw({ depth: 'float' }).toBuffer()
  let [least, most] = [Infinity, -Infinity]
  for (const value of new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}

/** Light letters are read better on dark grey than on black: 0.97 sure, and 0.94. */
const DARK = '#444'
/** White and black ones together need what is between. */
const [BETWEEN, CONSIDERABLE] = ['#888', 0.25]

/** The ground from which the pixels of a picture stand out, as far as they are opaque. */
async function contrastTo(picture: Sharp): Promise<string> {
  const small = picture.clone().resize(256, 256, { fit: 'inside', withoutEnlargement: true })
  const pixels = await small
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer()
    .catch(error => {
      throw unreadable(error)
    })
  let [light, white, black, opaque] = [0, 0, 0, 0]
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4)
    // Rec. 709.
    const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    light += alpha * luma
    if (luma > 212) white += alpha
    if (luma < 43) black += alpha
    opaque += alpha
  }
  if (Math.min(white, black) > opaque * CONSIDERABLE) return BETWEEN
  return light > opaque * 127.5 ? DARK : '#fff'
}

function checkSides(width: number, height: number): void {
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (long > MAX_SIDE)
    throw new InputInvalid(`the picture is ${width} by ${height} pixels; a side may have at most ${MAX_SIDE}`)
  if (long > LONG_SIDE && long > MAX_RATIO * short)
    throw new InputInvalid(
      `the picture is ${width} by ${height} pixels; of more than ${LONG_SIDE}, a side may be at most ${MAX_RATIO} times the other`,
    )
}

/** The pixels of a picture. Rejects with `InputInvalid` when they cannot be read. */
export async function toPixels(picture: Sharp, channels: 1 | 3): Promise<Pixels> {
  try {
    const plain = channels === 1 ? picture.greyscale().toColourspace('b-w') : picture.toColourspace('srgb')
    const { data, info } = await plain.removeAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    if (info.channels !== channels) throw new Error(`unexpected channels: ${info.channels}`)
    return { width: info.width, height: info.height, data, channels }
  } catch (error) {
    throw unreadable(error)
  }
}

/** libvips' words as a sentence for the caller. */
export function unreadable(error: unknown): InputInvalid {
  const [line = ''] = (error as Error).message.split('\n')
  const large = /pixel limit/i.test(line)
  return new InputInvalid(
    large
      ? `the picture has more than ${MAX_PIXELS / 1e6} million pixels`
      : `the picture cannot be read: ${excerpt(line, 200)}`,
  )
}
