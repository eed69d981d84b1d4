/** Text in a picture: where it is, which way up, what it says. The pipeline of PP-OCR. */

import { readFile } from 'node:fs/promises'
import type { RunItem } from '@millhand/child-process'
import { openSession, type Session } from '@millhand/onnxruntime'
import type { LoadMessage } from '../../protocol.ts'
import { pictureOf } from '../input.ts'
import { openPicture, type Pixels, toPixels, unreadable } from '../picture.ts'
import { type Emit, oneByOne, type Processor } from '../processor.ts'
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

interface Size {
  readonly width: number
  readonly height: number
}

interface Line {
  readonly text: string
  readonly confidence: number
  readonly box: readonly (readonly number[])[]
}

/** Larger pictures are made smaller as they are unpacked, so that a run's memory has a bound. */
const MAX_SIDE = 4096
/** Readings below are taken for no text. */
const MIN_CONFIDENCE = 0.5

export async function openOcr(message: LoadMessage): Promise<Processor> {
  const { files } = message
  const open = (name: string) => openSession(files[name] as string, message)
  const ocr: Ocr = {
    detection: await open('detection'),
    recognition: await open('recognition'),
    direction: 'direction' in files ? await open('direction') : undefined,
    alphabet: await readAlphabet(files.dictionary as string),
  }
  return oneByOne(({ input }, emit) => read(ocr, input, emit))
}

/** One letter a line; the blank comes before them, the space after. */
async function readAlphabet(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  return ['', ...text.replace(/\r?\n$/, '').split(/\r?\n/), ' ']
}

async function read(ocr: Ocr, input: RunItem['input'], emit: Emit): Promise<string> {
  const source = await openPicture(await pictureOf(input), 'contrasting')
  const { autoOrient: size } = await source.metadata().catch(error => {
    throw unreadable(error)
  })
  const inside = { fit: 'inside', withoutEnlargement: true } as const
  const picture = await toPixels(source.resize(MAX_SIDE, MAX_SIDE, inside), 3)
  const found = await detect(ocr.detection, picture)
  await emit({ kind: 'progress', fraction: 0.3, message: `${found.length} lines found` })
  const rows = inRows(await upright(ocr, picture, found)).map(joinTouching)
  const regions = rows.flat()
  const lines = new Map<Region, Line>()
  let read = 0
  for await (const [region, reading] of recognise(ocr.recognition, ocr.alphabet, picture, regions)) {
    if (isText(reading)) {
      const line = toLine(region, reading, picture, size)
      lines.set(region, line)
      await emit({ kind: 'output', json: JSON.stringify(line) })
    }
    const fraction = 0.3 + (0.7 * ++read) / regions.length
    await emit({ kind: 'progress', fraction, message: `${read} of ${regions.length} lines read` })
  }
  return JSON.stringify(answer(rows, lines, size))
}

async function upright<T extends Region>({ direction }: Ocr, picture: Pixels, regions: readonly T[]) {
  return direction ? turnUpright(direction, picture, regions) : regions
}

function toLine(region: Region, { text, confidence }: Reading, seen: Pixels, { width, height }: Size): Line {
  const [scaleX, scaleY] = [width / seen.width, height / seen.height]
  const box = corners(region).map(([x, y]) => [inside(x * scaleX, width), inside(y * scaleY, height)])
  return { text, confidence: Number(confidence.toFixed(4)), box }
}

function answer(rows: readonly (readonly Region[])[], lines: ReadonlyMap<Region, Line>, { width, height }: Size) {
  const read = rows.map(row => row.flatMap(region => lines.get(region) ?? [])).filter(row => row.length > 0)
  const text = read.map(row => row.map(line => line.text).join(' ')).join('\n')
  return { text, lines: read.flat(), width, height }
}

const isText = ({ text, confidence }: Reading) => text !== '' && confidence >= MIN_CONFIDENCE

const inside = (value: number, length: number) => Math.round(Math.min(Math.max(value, 0), length))
