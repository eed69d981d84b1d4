/** Charts as SVG, drawn by Apache ECharts without a browser. The same option gives the same bytes. */
import { createHash } from 'node:crypto'
import type { BarSeriesOption, CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts'
import type { GridComponentOption, LegendComponentOption, TitleComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
// As one file: in its parts it is hundreds, which take 0.7 s of a processor to load, not 0.09 s, and 100 MB.
import { init } from 'echarts/dist/echarts.esm.min.mjs'

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | CustomSeriesOption
  | LineSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
>

export interface ChartSize {
  readonly width: number
  readonly height: number
}

/** On white, as its texts are dark. `alternative` is what a reader hears who does not see the chart. */
export function drawChart(option: ChartOption, { width, height }: ChartSize, alternative: string): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption({ animation: false, backgroundColor: '#ffffff', ...option })
    return labelled(sameNames(chart.renderToSVGString()), alternative)
  } finally {
    chart.dispose()
  }
}

/**
 * The renderer counts its charts and its styles, and the counts are in the names of both. The styles serve the mouse alone; clips
 * are named by what the chart shows, so that several charts get on in one page. What is looked for can't stand in a text: there
 * `<` and `"` are written otherwise.
 */
function sameNames(svg: string): string {
  const plain = svg
    .replace(/<style >[^<]*<!\[CDATA\[[^<]*\]\]>\s*<\/style>/, '')
    .replace(/ class="zr\d+-cls-\d+"/g, '')
    .replace(/(="(?:url\(#)?)zr\d+-/g, '$1')
  const name = createHash('sha256').update(plain).digest('hex').slice(0, 8)
  return plain.replace(/(="(?:url\(#)?)(c\d+[")])/g, `$1${name}-$2`)
}

const labelled = (svg: string, text: string) =>
  svg.replace(
    '<svg ',
    () => `<svg role="img" aria-label="${text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)}" `,
  )
