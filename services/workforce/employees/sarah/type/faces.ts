/** Fonts as they are needed: read from their packages, kept for the life of the process. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Blob, Font, Face as HbFace, Variation } from 'harfbuzzjs'
import decompress from 'woff2-encoder/decompress'
import { EAST_ASIAN, type EastAsian, FAMILIES, type Family, type FamilyId, OTHERS, type Weight } from './families.ts'
import { fontOfWoff } from './woff.ts'

// The package prepares its WebAssembly after it was imported, and makes functions from strings meanwhile, which a child process
// allows only while it loads. An empty font is refused once that is done.
await decompress(new Uint8Array()).catch(() => {})

/** One file of a family: a weight of a part of its characters. */
export interface Face {
  readonly font: Font
  readonly unitsPerEm: number
  /** Whether its letters join or stack, so that no space may come between them. */
  readonly joins: boolean
  readonly family: Family
  readonly subset: string
  readonly weight: Weight
  /** What characters it is for, as CSS writes them. */
  readonly ranges: string
}

/** The first face that has all of `text`, which is one character as a reader sees it; undefined where none does. */
export function faceFor(text: string, id: FamilyId, weight: Weight, east: EastAsian): Face | undefined {
  const points = [...text].flatMap(sign => (unseen.test(sign) ? [] : (sign.codePointAt(0) ?? [])))
  const wanted = FAMILIES[id]
  const eastern = [EAST_ASIAN[east], ...Object.values(EAST_ASIAN).filter(family => family !== EAST_ASIAN[east])]
  for (const family of [wanted, ...OTHERS.filter(other => other !== wanted), ...eastern])
    for (const subset of family.subsets)
      if (points.every(point => promises(family, subset, point)) && isUnpacked(family, subset)) {
        const face = faceOf(family, subset, weight)
        if (points.every(point => face.font.nominalGlyph(point) !== undefined)) return face
      }
  return undefined
}

/** Joiners and selectors: they steer the shaping and have no shape of their own. */
const unseen = /^(?:\u200c|\u200d|\ufe0e|\ufe0f)$/

/** The parts of a family that are for a character. */
export const partsWith = (family: Family, point: number): string[] =>
  family.subsets.filter(subset => promises(family, subset, point))

/** Whether a part can be set: those in the newer format take their time, and are asked for by `unpack`. */
export const isUnpacked = (family: Family, subset: string): boolean =>
  family.variable !== true || unpacked.has(`${family.package} ${subset}`)

/** Decompresses a part of a family that comes as WOFF 2, some 15 ms, and keeps it for the life of the process. Rejects where the package lacks it. */
export async function unpack(family: Family, subset: string): Promise<void> {
  unpacked.set(`${family.package} ${subset}`, await decompress(fileOf(family, subset, 400, 'woff2')))
}

const unpacked = new Map<string, Uint8Array>()

/** Ascent and descent of a family over its size. */
export function metricsOf(id: FamilyId): {
  readonly ascent: number
  readonly descent: number
} {
  const family = FAMILIES[id]
  const { font, unitsPerEm } = faceOf(family, 'latin', 400)
  const { ascender, descender } = font.hExtents()
  return {
    ascent: ascender / unitsPerEm,
    descent: -descender / unitsPerEm,
  }
}

const faces = new Map<string, Face>()

function faceOf(family: Family, subset: string, weight: Weight): Face {
  const key = `${family.package} ${subset} ${weight}`
  const known = faces.get(key)
  if (known) return known
  const bytes = unpacked.get(`${family.package} ${subset}`) ?? fontOfWoff(fileOf(family, subset, weight, 'woff'))
  const face = new HbFace(new Blob(new Uint8Array(bytes)))
  const font = new Font(face)
  if (family.variable) font.setVariations([new Variation('wght', weight)])
  const joins = subset === 'arabic' || subset === 'devanagari'
  const made = {
    font,
    unitsPerEm: face.upem,
    joins,
    family,
    subset,
    weight,
    ranges: saidBy(family, subset),
  }
  faces.set(key, made)
  return made
}

/** A file of a face in its package, for HarfBuzz or for browsers. */
export const fileOf = (family: Family, subset: string, weight: Weight, format: 'woff' | 'woff2'): Buffer => {
  const part = family.variable ? `${subset.slice(1, -1)}-wght` : `${subset}-${weight}`
  const name = `${family.package.split('/')[1]}-${part}-normal.${format}`
  return readFileSync(fileURLToPath(import.meta.resolve(`${family.package}/files/${name}`)))
}

const promised = new Map<string, readonly (readonly [number, number])[]>()

/** Whether a package says that a part of a family has a character: told without opening the font. */
function promises(family: Family, subset: string, point: number): boolean {
  const key = `${family.package} ${subset}`
  let ranges = promised.get(key)
  if (!ranges) {
    ranges = rangesOf(saidBy(family, subset))
    promised.set(key, ranges)
  }
  return ranges.some(([from, to]) => point >= from && point <= to)
}

const said = new Map<string, Readonly<Record<string, string>>>()

/** The package of emojis names none for the file that has them all. */
function saidBy({ package: name }: Family, subset: string): string {
  const parts =
    said.get(name) ?? JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`${name}/unicode.json`)), 'utf8'))
  said.set(name, parts)
  return parts[subset] ?? (subset === 'emoji' ? 'U+2000-1FFFF' : '')
}

const rangesOf = (said: string): (readonly [number, number])[] =>
  said.split(',').map(range => {
    const [from = 0, to = from] = range
      .trim()
      .replace(/^U\+/i, '')
      .split('-')
      .map(end => Number.parseInt(end, 16))
    return [from, to]
  })
