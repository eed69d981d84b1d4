/** A picture that comes from elsewhere: known by its bytes, held to limits before it is decoded, and drawn anew. */
import { BadAnswer } from '../../src/run-rules.ts'
import { drawnOf, type Pixels, pixelsOf } from './pixels.ts'
import { element, type Svg } from './svg.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** The side of a picture that is decoded, and all of it, in pixels: four bytes each, in the memory of this process. */
const MOST_SIDE = 8_192
const MOST_PIXELS = 4_096 * 4_096

export interface Redrawn {
  /** Of the size asked for, with nothing in it but pixels. */
  readonly png: Uint8Array
  readonly pixels: Pixels
  /** What came, in pixels. */
  readonly came: Size
}

/** Cut from the middle and scaled to the size asked for. Throws a `BadAnswer` for what is no such picture. */
export function redrawn(bytes: Uint8Array, size: Size): Redrawn {
  const { type, ...came } = headOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (Math.max(came.width, came.height) > MOST_SIDE || came.width * came.height > MOST_PIXELS)
    throw new BadAnswer(`the picture has ${came.width} by ${came.height} pixels: more than are decoded here`)
  if (came.width < 1 || came.height < 1) throw new BadAnswer('the picture has no pixels')
  const { png, pixels } = drawnOf(alone(size, imageOf(bytes, type, size)))
  if (isBlank(pixels)) throw new BadAnswer('the picture can not be opened')
  return { png, pixels, came }
}

/** A picture of our own as part of another. */
export const imageOf = (bytes: Uint8Array, type: string, { width, height }: Size): Svg =>
  element('image', {
    ...{ width, height },
    preserveAspectRatio: 'xMidYMid slice',
    href: `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`,
  })

/** The pixels of a PNG of ours. */
export const pixelsOfPng = (png: Uint8Array, size: Size): Pixels => pixelsOf(alone(size, imageOf(png, 'png', size)))

const alone = ({ width, height }: Size, image: Svg): string =>
  element('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` }, image)

/** A decoder that failed draws nothing. */
const isBlank = ({ data }: Pixels): boolean => data.every((value, at) => at % 4 !== 3 || value === 0)

function headOf(bytes: Buffer): Size & { readonly type: 'png' | 'jpeg' } {
  if (bytes.length > 33 && bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR')
    return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8) return { type: 'jpeg', ...jpegSize(bytes) }
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  throw new BadAnswer(`the picture is ${isWebp ? 'WebP, and' : 'of no form that is read here:'} PNG or JPEG is needed`)
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** From the first frame header: ITU-T T.81, B.2.2. */
function jpegSize(bytes: Buffer): Size {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // A marker may be filled up with more of its first byte.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  throw new BadAnswer('the picture can not be opened')
}
