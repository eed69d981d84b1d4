/** Parquet files as nobody writes them: one column, one page, and whatever they say of themselves. Thrift's compact protocol. */

/** A number of 32 bits, of 64, a text, a list, a structure: by their place in Thrift's. */
type Field = { i32: number } | { i64: number } | { text: string } | { list: readonly Field[] } | { struct: Fields }
type Fields = Readonly<Record<number, Field>>

export interface Claims {
  readonly rows: number
  /** What the page says that it has; as many as there are rows where nothing is said. */
  readonly pageValues?: number
  /** The levels or indices of the page, as it stands in the file. */
  readonly page: readonly number[]
  /** A dictionary of this one text, in the place of plain numbers. */
  readonly dictionary?: string
}

export function parquetFile({ rows, pageValues = rows, page, dictionary }: Claims): Uint8Array {
  const BYTE_ARRAY = 6
  const [PLAIN, RLE_DICTIONARY] = [0, 8]
  const first = dictionary === undefined ? [] : [...little(Buffer.byteLength(dictionary)), ...Buffer.from(dictionary)]
  const sizes = (bytes: number) => ({ 2: { i32: bytes }, 3: { i32: bytes } })
  const dictionaryPage = [
    ...struct({ 1: { i32: 2 }, ...sizes(first.length), 7: { struct: { 1: { i32: 1 }, 2: { i32: PLAIN } } } }),
    ...first,
  ]
  const dataPage = [
    ...struct({
      1: { i32: 0 },
      ...sizes(page.length),
      5: { struct: { 1: { i32: pageValues }, 2: { i32: RLE_DICTIONARY }, 3: { i32: 3 }, 4: { i32: 3 } } },
    }),
    ...page,
  ]
  const length = dictionaryPage.length + dataPage.length
  const column: Fields = {
    1: { i32: BYTE_ARRAY },
    2: { list: [{ i32: RLE_DICTIONARY }] },
    3: { list: [{ text: 'a' }] },
    4: { i32: 0 },
    5: { i64: rows },
    6: { i64: length },
    7: { i64: length },
    9: { i64: 4 + dictionaryPage.length },
    11: { i64: 4 },
  }
  const metadata = struct({
    1: { i32: 1 },
    2: {
      list: [
        { struct: { 4: { text: 'schema' }, 5: { i32: 1 } } },
        { struct: { 1: { i32: BYTE_ARRAY }, 3: { i32: 0 }, 4: { text: 'a' }, 6: { i32: 0 } } },
      ],
    },
    3: { i64: rows },
    4: {
      list: [
        {
          struct: {
            1: { list: [{ struct: { 2: { i64: 4 }, 3: { struct: column } } }] },
            2: { i64: length },
            3: { i64: rows },
          },
        },
      ],
    },
  })
  const magic = Buffer.from('PAR1')
  return Uint8Array.from([...magic, ...dictionaryPage, ...dataPage, ...metadata, ...little(metadata.length), ...magic])
}

/** A run of one index, so many times: what ten bytes can say of a billion. */
export const run = (times: number): number[] => [1, ...varint(times * 2), 0]

const typeOf = (field: Field): number =>
  'i32' in field ? 5 : 'i64' in field ? 6 : 'text' in field ? 8 : 'list' in field ? 9 : 12

function struct(fields: Fields): number[] {
  let last = 0
  const bytes = Object.entries(fields).flatMap(([name, field]) => {
    const delta = Number(name) - last
    last = Number(name)
    return [(delta << 4) | typeOf(field), ...written(field)]
  })
  return [...bytes, 0]
}

function written(field: Field): number[] {
  if ('i32' in field) return varint(field.i32 * 2)
  if ('i64' in field) return varint(field.i64 * 2)
  if ('text' in field) return [...varint(Buffer.byteLength(field.text)), ...Buffer.from(field.text)]
  if ('struct' in field) return struct(field.struct)
  const [first] = field.list
  return [(field.list.length << 4) | (first ? typeOf(first) : 0), ...field.list.flatMap(written)]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

const little = (value: number): number[] => [0, 8, 16, 24].map(shift => (value >>> shift) & 255)
