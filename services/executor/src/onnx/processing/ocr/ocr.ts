/** Text in a picture: where it is, which way up, what it says. The pipeline of PP-OCR. */
import { readFile } from 'node:fs/promises'
import { readDataUri } from '@millhand/model'
import type { Progress } from '../../../model-runner.ts'
import type { LoadMessage } from '../../protocol.ts'
import { openSession, type Session } from '../../session.ts'
import { openPicture, type Pixels, toPixels, unreadable } from '../picture.ts'
import { oneByOne, type Processor } from '../processor.ts'
import { detect } from './detect.ts'
import { turnUpright } from './direction.ts'
import { joinTouching } from './join.ts'
import { inRows } from './reading-order.ts'
import { type Reading, recognise } from './recognise.ts'
import { corners, type Region } from './region.ts'

interface Ocr {
  readonly detection: Session
  readonly recognition: Session
  readonly direction: Session | undefined
  readonly alphabet: readonly string[]
}

/** Larger pictures are made smaller as they are unpacked, so that a run's memory has a bound. */
const MAX_SIDE = 4096
/** Readings below are taken for no text. */
const MIN_CONFIDENCE = 0.5

export async function openOcr({ files, threads }: LoadMessage): Promise<Processor> {
  const open = (name: string) => openSession(files[name] as string, threads)
  const ocr: Ocr = {
    detection: await open('detection'),
    recognition: await open('recognition'),
    direction: 'direction' in files ? await open('direction') : undefined,
    alphabet: await readAlphabet(files.dictionary as string),
  }
  return oneByOne(({ input }, onProgress) => read(ocr, input, onProgress))
}

/** One letter a line; the blank comes before them, the space after. */
async function readAlphabet(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  return ['', ...text.replace(/\r?\n$/, '').split(/\r?\n/), ' ']
}

async function read(ocr: Ocr, input: string, onProgress: (progress: Progress) => void): Promise<string> {
  const source = openPicture(readDataUri(input, 'image'))
  const { autoOrient: size } = await source.metadata().catch(error => {
    throw unreadable(error)
  })
  const inside = { fit: 'inside', withoutEnlargement: true } as const
  const picture = await toPixels(source.resize(MAX_SIDE, MAX_SIDE, inside), 3)
  const found = await detect(ocr.detection, picture)
  onProgress({ fraction: 0.3, message: `${found.length} lines found` })
  const rows = inRows(await upright(ocr, picture, found)).map(joinTouching)
  const regions = rows.flat()
  const readings = await recognise(ocr.recognition, ocr.alphabet, picture, regions, lines => {
    onProgress({ fraction: 0.3 + (0.7 * lines) / regions.length, message: `${lines} of ${regions.length} lines read` })
  })
  return JSON.stringify(
    answer(rows, new Map(regions.map((region, index) => [region, readings[index] as Reading])), picture, size),
  )
}

async function upright<T extends Region>({ direction }: Ocr, picture: Pixels, regions: readonly T[]) {
  return direction ? turnUpright(direction, picture, regions) : regions
}

function answer(
  rows: readonly (readonly Region[])[],
  readings: ReadonlyMap<Region, Reading>,
  seen: Pixels,
  { width, height }: { readonly width: number; readonly height: number },
) {
  const read = rows.map(row => row.filter(region => isText(readings.get(region)))).filter(row => row.length > 0)
  const textOf = (region: Region) => readings.get(region)?.text ?? ''
  const [scaleX, scaleY] = [width / seen.width, height / seen.height]
  return {
    text: read.map(row => row.map(textOf).join(' ')).join('\n'),
    lines: read.flat().map(region => ({
      text: textOf(region),
      confidence: Number(readings.get(region)?.confidence.toFixed(4)),
      box: corners(region).map(([x, y]) => [inside(x * scaleX, width), inside(y * scaleY, height)]),
    })),
    width,
    height,
  }
}

const isText = (reading: Reading | undefined) =>
  reading !== undefined && reading.text !== '' && reading.confidence >= MIN_CONFIDENCE

const inside = (value: number, length: number) => Math.round(Math.min(Math.max(value, 0), length))
