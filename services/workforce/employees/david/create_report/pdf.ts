/** A report as PDF, laid out by pdfmake with the Roboto that comes with it. docs/decisions/data.md */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import pdfmake from 'pdfmake'
import type { Block, Report } from './document.ts'

const FONTS = join(dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')), 'fonts/Roboto')
const font = (style: string) => join(FONTS, `Roboto-${style}.ttf`)

pdfmake.setFonts({
  Roboto: {
    normal: font('Regular'),
    bold: font('Medium'),
    italics: font('Italic'),
    bolditalics: font('MediumItalic'),
  },
})
// What is in a report is text: nothing of it is fetched or opened.
pdfmake.setUrlAccessPolicy(() => false)
pdfmake.setLocalAccessPolicy(path => path.startsWith(FONTS))

/** A part of a page, as pdfmake has it. */
type Content = Readonly<Record<string, unknown>>

/** In points. */
const WIDTH = 595 - 2 * 50
/** Longer words don't fit into a line of a page, narrower ones in a column of a table. */
const LONGEST_WORD = { line: 60, cell: 18 }

export async function pdfOf(report: Report): Promise<Uint8Array> {
  return new Uint8Array(await pdfmake.createPdf(definitionOf(report)).getBuffer())
}

const definitionOf = ({ title, subtitle, sections }: Report): Content => ({
  pageSize: 'A4',
  pageMargins: [50, 56, 50, 56],
  // The same report is the same file: it does not say when it was made.
  info: { title, creator: 'Millhand', producer: 'Millhand', creationDate: new Date(0), modDate: new Date(0) },
  defaultStyle: { font: 'Roboto', fontSize: 9.5, lineHeight: 1.25, color: '#1d2733' },
  styles: {
    title: { fontSize: 22, bold: true },
    subtitle: { color: '#5a6675', margin: [0, 0, 0, 12] },
    section: { fontSize: 15, bold: true, margin: [0, 18, 0, 6] },
    heading: { fontSize: 11, bold: true, margin: [0, 12, 0, 4] },
    query: { fontSize: 7.5, color: '#44505e', margin: [0, 2, 0, 6] },
    cell: { fontSize: 8 },
  },
  footer: (page: number, pages: number) => ({
    text: `${page} / ${pages}`,
    alignment: 'center',
    fontSize: 8,
    color: '#5a6675',
  }),
  content: [
    { text: broken(title), style: 'title' },
    { text: subtitle, style: 'subtitle' },
    ...sections.flatMap(({ heading, blocks }): Content[] => [
      { text: heading, style: 'section', headlineLevel: 1 },
      ...together(blocks),
    ]),
  ],
})

/** A heading stays on the page of the picture that it is of. */
function together(blocks: readonly Block[]): Content[] {
  const [first, ...rest] = blocks
  if (first === undefined) return []
  if (first.kind !== 'heading') return [...laidOut(first), ...together(rest)]
  const picture = rest.slice(0, 2).findIndex(({ kind }) => kind === 'picture')
  const [kept, others] = [rest.slice(0, picture < 0 ? 1 : picture + 1), rest.slice(picture < 0 ? 1 : picture + 1)]
  return [{ stack: [first, ...kept].flatMap(laidOut), unbreakable: true }, ...together(others)]
}

function laidOut(block: Block): Content[] {
  switch (block.kind) {
    case 'paragraph':
      return [{ text: broken(block.text), margin: [0, 0, 0, 6] }]
    case 'heading':
      return [{ text: broken(block.text), style: 'heading' }]
    case 'list':
      return [{ ul: block.items.map(item => broken(item)), margin: [0, 0, 0, 6] }]
    case 'table':
      return [tableOf(block.header, block.rows)]
    case 'picture':
      return [{ svg: block.svg, width: Math.min(WIDTH, 420), margin: [0, 4, 0, 8] }]
    case 'query':
      return [{ text: broken(block.text), style: 'query' }]
  }
}

/** A table of two columns gives the second what is left; of many, all share. */
function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): Content {
  const cells = (row: readonly string[], bold: boolean) =>
    row.map(text => ({ text: broken(text, LONGEST_WORD.cell), style: 'cell', bold }))
  const widths = header.map((_, i) => (i === header.length - 1 && header.length === 2 ? '*' : 'auto'))
  return {
    table: {
      headerRows: 1,
      dontBreakRows: true,
      widths,
      body: [cells(header, true), ...rows.map(row => cells(row, false))],
    },
    layout: 'lightHorizontalLines',
    margin: [0, 2, 0, 8],
  }
}

/** A space without width where a word is longer than fits. */
const broken = (text: string, longest = LONGEST_WORD.line) =>
  text.replaceAll(new RegExp(`\\S{${longest}}(?=\\S)`, 'gu'), word => `${word}\u200B`)
