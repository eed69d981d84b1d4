/** Files that hold tables in formats that are not read: what they are, and what to save instead. docs/decisions/data.md */

/** The formats that are read, for a sentence. */
export const READ = 'CSV, TSV, JSON, JSON Lines, Parquet or .xlsx'

/** By the first bytes of a file, each a letter. */
const FORMATS: readonly (readonly [magics: readonly string[], said: string])[] = [
  [['SQLite format 3\0'], `is an SQLite database, which is not read. Export one table of it as ${READ}`],
  [['\xD0\xCF\x11\xE0'], 'is a workbook of Excel 97 or one with a password. Save it as .xlsx without a password'],
  [['\x1F\x8B', 'BZh', '\xFD7zXZ\0', '7z\xBC\xAF', '\x28\xB5\x2F\xFD'], `is packed. Send the file inside, as ${READ}`],
  [['%PDF-'], `is a PDF, whose tables are not read. Send the table as ${READ}`],
  [['ARROW1\0', '\x89HDF', 'RDX2\n', 'Obj\x01'], `is of a format that is not read. Save the table as ${READ}`],
]

/** What is said of the file after its name; undefined of one that may be read. */
export function unreadFormat(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  // A header of CSV may begin with PARENT; what is encrypted has bytes that no text has.
  if (head.startsWith('PARE') && bytes.subarray(0, 1_000).some(byte => byte < 9))
    return 'is an encrypted Parquet file. Save it without encryption'
  return FORMATS.find(([magics]) => magics.some(magic => head.startsWith(magic)))?.[1]
}

/** The same of an archive, by the names of its parts; undefined of a workbook. */
export function unreadArchive(parts: Pick<ReadonlyMap<string, unknown>, 'has'>): string | undefined {
  if (parts.has('xl/workbook.xml')) return undefined
  if (parts.has('[Content_Types].xml'))
    return 'is no .xlsx workbook, but another document of Office, or a workbook saved as .xlsb. Save it as .xlsx'
  if (parts.has('content.xml')) return 'is an OpenDocument file (.ods), which is not read. Save it as .xlsx or CSV'
  return `is an archive and no .xlsx workbook. Send the file inside, as ${READ}`
}
