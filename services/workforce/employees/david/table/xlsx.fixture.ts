/** Workbooks as Excel writes them, from what is in their sheets. */
import { strToU8, type ZipOptions, zipSync } from 'fflate'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** Of each sheet the XML of its rows; `s="1"` is a day, `s="2"` a time, `s="3"` euros, `s="4"` and `s="5"` percentages; `s="6"` has the sign alone; `s="7"` is five digits. */
export function workbook(
  sheets: Readonly<Record<string, string>>,
  {
    parts = {},
    epoch1904 = false,
    after = '',
  }: { parts?: Readonly<Record<string, string>>; epoch1904?: boolean; after?: string } = {},
): Record<string, string> {
  const names = Object.keys(sheets)
  const type = (part: string, kind: string) =>
    `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('xl/workbook.xml', 'sheet.main')}${names.map((_, i) => type(`xl/worksheets/sheet${i + 1}.xml`, 'worksheet')).join('')}${type('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${epoch1904 ? ' date1904="1"' : ''}/><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${names.map((_, i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`).join('')}<Relationship Id="rId${names.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="5"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="#,##0.00\\ &quot;€&quot;"/><numFmt numFmtId="166" formatCode="0.0\\ %"/><numFmt numFmtId="167" formatCode="0.0&quot;%&quot;"/><numFmt numFmtId="168" formatCode="00000"/></numFmts><cellStyleXfs count="1"><xf numFmtId="9"/></cellStyleXfs><cellXfs count="8"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="9" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/><xf numFmtId="167" applyNumberFormat="1"/><xf numFmtId="168" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData>${after}</worksheet>`,
      ]),
    ),
    ...parts,
  }
}

/** A cell with its style, or `t="b"` and the like. */
export type Cell = string | number | null | readonly [value: number | string, attributes: string]

/** Rows of cells from A1 on. */
export const rowsXml = (rows: readonly (readonly Cell[])[]) =>
  rows
    .map((row, r) => `<row r="${r + 1}">${row.map((cell, c) => cellXml(cell, `${letter(c)}${r + 1}`)).join('')}</row>`)
    .join('')

function cellXml(cell: Cell, place: string): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  return `<c r="${place}" ${cell[1]}><v>${cell[0]}</v></c>`
}

const letter = (column: number) => String.fromCharCode(65 + column)

export const packed = (parts: Readonly<Record<string, string>>, options: ZipOptions = {}): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])), options)
