/** A picture as pixels, by resvg compiled to WebAssembly: no native code, no fonts of the machine, nothing fetched. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

await initWasm(readFileSync(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))

/** `width` is of the result, in pixels; the height follows. */
export const pngOf = (svg: string, width?: number): Uint8Array => rendered(svg, width, image => image.asPng())

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly data: Uint8Array
}

export const pixelsOf = (svg: string, width?: number): Pixels => rendered(svg, width, readPixels)

/** Both of one drawing. */
export const drawnOf = (svg: string): { readonly png: Uint8Array; readonly pixels: Pixels } =>
  rendered(svg, undefined, image => ({ png: image.asPng(), pixels: readPixels(image) }))

type Image = ReturnType<InstanceType<typeof Resvg>['render']>

const readPixels = (image: Image): Pixels => ({
  width: image.width,
  height: image.height,
  data: image.pixels.slice(),
})

function rendered<T>(svg: string, width: number | undefined, read: (image: Image) => T): T {
  const resvg = new Resvg(svg, {
    font: { loadSystemFonts: false },
    ...(width === undefined ? {} : { fitTo: { mode: 'width', value: width } }),
  })
  const image = resvg.render()
  try {
    return read(image)
  } finally {
    image.free()
    resvg.free()
  }
}
