/** Text in a picture: where it is, which way up, what it says. The pipeline of PP-OCR. */

import { readFile } from 'node:fs/promises'
import type { RunItem } from '@millhand/child-process'
import { InputInvalid } from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import type { LoadMessage } from '../../protocol.ts'
import { pictureOf } from '../input.ts'
import { openPicture, type Pixels, toPixels, unreadable } from '../picture.ts'
import { type Emit, oneByOne, type Processor } from '../processor.ts'
import { pagesOf } from '../tiff-pages.ts'
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
  /** Where there are several. */
  readonly page?: number
}

/** Larger pictures are made smaller as they are unpacked, so that a run's memory has a bound. */
const MAX_SIDE = 4096
/** Of one file: a page of 40 million pixels takes seconds, and a run has an end. */
const [MOST_PAGES, MOST_PIXELS] = [20, 200_000_000]
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

interface Page {
  /** Of the file, from 1. */
  readonly page: number
  readonly size: Size
  readonly text: string
  readonly lines: readonly Line[]
}

async function read(ocr: Ocr, input: RunItem['input'], emit: Emit): Promise<string> {
  const source = await pictureOf(input)
  const all = await pagesOf(source)
  const pages: Page[] = []
  let pixels = 0
  for (const [at, page] of all.slice(0, MOST_PAGES).entries()) {
    const opened = await openedPage(source, page, all.length)
    pixels += opened.size.width * opened.size.height
    if (at > 0 && pixels > MOST_PIXELS) break
    const count = Math.min(all.length, MOST_PAGES)
    pages.push(await readPage(ocr, opened, emit, { at, count, isOnly: all.length === 1 }))
  }
  return JSON.stringify(answer(pages, all.length))
}

/** A picture that is one of several pages is named where it can't be read. */
async function openedPage(source: Uint8Array | string, page: number, count: number) {
  try {
    const picture = await openPicture(source, 'contrasting', page)
    const { autoOrient: size } = await picture.metadata().catch(error => {
      throw unreadable(error)
    })
    const inside = { fit: 'inside', withoutEnlargement: true } as const
    const pixels = await toPixels(picture.resize(MAX_SIDE, MAX_SIDE, inside), 3)
    return { page: page + 1, size, pixels }
  } catch (error) {
    throw count > 1 && error instanceof InputInvalid ? new InputInvalid(`page ${page + 1}: ${error.message}`) : error
  }
}

interface Progress {
  readonly at: number
  readonly count: number
  readonly isOnly: boolean
}

async function readPage(
  ocr: Ocr,
  { page, size, pixels: picture }: Awaited<ReturnType<typeof openedPage>>,
  emit: Emit,
  { at, count, isOnly }: Progress,
): Promise<Page> {
  const progress = (share: number, message: string) =>
    emit({
      kind: 'progress',
      fraction: (at + share) / count,
      message: isOnly ? message : `page ${page}: ${message}`,
    })
  const found = await detect(ocr.detection, picture)
  await progress(0.3, `${found.length} lines found`)
  const rows = inRows(await upright(ocr, picture, found)).map(joinTouching)
  const regions = rows.flat()
  const lines = new Map<Region, Line>()
  let read = 0
  for await (const [region, reading] of recognise(ocr.recognition, ocr.alphabet, picture, regions)) {
    if (isText(reading)) {
      const line = { ...toLine(region, reading, picture, size), ...(!isOnly && { page }) }
      lines.set(region, line)
      await emit({ kind: 'output', json: JSON.stringify(line) })
    }
    await progress(0.3 + (0.7 * ++read) / regions.length, `${read} of ${regions.length} lines read`)
  }
  const inOrder = rows.map(row => row.flatMap(region => lines.get(region) ?? [])).filter(row => row.length > 0)
  const text = inOrder.map(row => row.map(line => line.text).join(' ')).join('\n')
  return { page, size, text, lines: inOrder.flat() }
}

async function upright<T extends Region>({ direction }: Ocr, picture: Pixels, regions: readonly T[]) {
  return direction ? turnUpright(direction, picture, regions) : regions
}

function toLine(region: Region, { text, confidence }: Reading, seen: Pixels, { width, height }: Size): Line {
  const [scaleX, scaleY] = [width / seen.width, height / seen.height]
  const box = corners(region).map(([x, y]) => [inside(x * scaleX, width), inside(y * scaleY, height)])
  return { text, confidence: Number(confidence.toFixed(4)), box }
}

/** The size is that of the first page. */
function answer(pages: readonly Page[], count: number) {
  const [first] = pages
  return {
    text: pages.flatMap(({ text }) => (text === '' ? [] : text)).join('\n'),
    lines: pages.flatMap(({ lines }) => lines),
    width: first?.size.width ?? 0,
    height: first?.size.height ?? 0,
    ...(count > 1 && {
      pages: pages.map(({ page, size: { width, height } }) => ({ page, width, height })),
      pages_not_read: count - pages.length,
    }),
  }
}

const isText = ({ text, confidence }: Reading) => text !== '' && confidence >= MIN_CONFIDENCE

const inside = (value: number, length: number) => Math.round(Math.min(Math.max(value, 0), length))
