/** Pictures from hostile bytes: raster formats only, no more pixels than the limit, whole files only. */
import { excerpt, InputInvalid } from '@millhand/model'
import sharp, { type Sharp } from 'sharp'

// Of libvips' many loaders (SVG, PDF, ImageMagick and more) only those of the formats that the contract names.
const FORMATS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Tiff']
const LOADERS = FORMATS.flatMap(format => [`${format}Buffer`, `${format}File`])
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS.map(loader => `VipsForeignLoad${loader}`) })
sharp.cache(false)

/** As phones make them; some 120 MB when unpacked. */
const MAX_PIXELS = 40_000_000

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Row by row, `channels` bytes a pixel. */
  readonly data: Uint8Array
  readonly channels: 1 | 3
}

/** A picture, its bytes or the path of its file, opened the right way up, on white where it is transparent. */
export function openPicture(source: Uint8Array | string): Sharp {
  return sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
    .autoOrient()
    .flatten({ background: '#fff' })
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
