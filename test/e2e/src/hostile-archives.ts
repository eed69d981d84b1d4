/** Files of NumPy and safetensors that lie, as bytes. The honest ones hold `x`: a float32 of shape [1, 2]. */
import { crc32, deflateRawSync } from 'node:zlib'

/** An array as NumPy writes it; `header` in place of the true one. */
export function npy(header?: string, data: Uint8Array = floats(1, 2), version = [1, 0]): Buffer {
  const text = Buffer.from(`${header ?? dictionary()}\n`)
  const length = Buffer.alloc(version[0] === 1 ? 2 : 4)
  if (version[0] === 1) length.writeUInt16LE(text.length)
  else length.writeUInt32LE(text.length)
  return Buffer.concat([Buffer.from('\x93NUMPY', 'latin1'), Buffer.from(version), length, text, data])
}

const dictionary = (descr = '<f4', shape = '(1, 2)', order = 'False'): string =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`

export const floats = (...values: number[]): Uint8Array => new Uint8Array(new Float32Array(values).buffer)

interface Entry {
  readonly name?: string
  readonly content?: Uint8Array
  readonly method?: number
  /** Lies: in the place of what is true. */
  readonly packed?: Uint8Array
  readonly bytes?: number
  readonly crc?: number
  readonly flags?: number
  readonly localName?: string
  readonly at?: number
  readonly extra?: Uint8Array
}

interface Lies {
  readonly count?: number
  readonly directoryAt?: number
  readonly disk?: number
  readonly before?: Uint8Array
  readonly after?: Uint8Array
}

/** A zip file of the entries, and lies about them. */
export function zip(entries: readonly Entry[], lies: Lies = {}): Buffer {
  const parts: Buffer[] = [Buffer.from(lies.before ?? [])]
  const directory: Buffer[] = []
  let at = parts[0]?.length ?? 0
  for (const entry of entries) {
    const { name = 'x.npy', content = npy(), method = 0, flags = 0, extra = Buffer.alloc(0) } = entry
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content)
    const fields = Buffer.alloc(24)
    fields.writeUInt16LE(flags, 0)
    fields.writeUInt16LE(method, 2)
    fields.writeUInt32LE(entry.crc ?? crc32(content), 8)
    fields.writeUInt32LE(packed.length, 12)
    fields.writeUInt32LE(entry.bytes ?? content.length, 16)
    const local = Buffer.concat([
      number32(0x04034b50),
      Buffer.of(20, 0),
      fields.subarray(0, 20),
      sizes(entry.localName ?? name, 0),
      Buffer.from(entry.localName ?? name),
      packed,
    ])
    directory.push(
      Buffer.concat([
        number32(0x02014b50),
        Buffer.of(20, 0, 20, 0),
        fields.subarray(0, 20),
        sizes(name, extra.length),
        Buffer.alloc(10),
        number32(entry.at ?? at),
        Buffer.from(name),
        extra,
      ]),
    )
    parts.push(local)
    at += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(lies.disk ?? 0, 0)
  end.writeUInt16LE(lies.count ?? entries.length, 4)
  end.writeUInt16LE(lies.count ?? entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(lies.directoryAt ?? at, 12)
  return Buffer.concat([...parts, listed, number32(0x06054b50), end, Buffer.from(lies.after ?? [])])
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function sizes(name: string, extra: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16LE(Buffer.byteLength(name), 0)
  bytes.writeUInt16LE(extra, 2)
  return bytes
}

/** A safetensors file; `length` in place of the true one. */
export function safetensors(header: object | string, data: Uint8Array = floats(1, 2), length?: number): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(length ?? text.length)
  return Buffer.concat([bytes, text, data])
}

const x = { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] }
const zeros = (bytes: number) => deflateRawSync(Buffer.alloc(bytes), { level: 9 })
const MIB = 2 ** 20

const archive = (entry: Entry, lies?: Lies) => zip([entry], lies)
const array = (header: string, data?: Uint8Array, version?: number[]) =>
  archive({ content: npy(header, data, version) })
const utf32 = (...codes: number[]) => new Uint8Array(new Uint32Array(codes).buffer)

/** Read by a model whose input `x` is a float32 of any number of rows of 2; what is said of each. */
export const lyingFiles: readonly (readonly [name: string, bytes: Uint8Array, said: RegExp])[] = [
  ['a zip file that is cut off', archive({}).subarray(0, 100), /no zip file/],
  ['a zip file without its end', archive({}).subarray(0, -22), /cut off/],
  ['an empty zip file', zip([]), /`x` is missing/],
  ['bytes after the zip file', archive({}, { after: Buffer.from('more') }), /cut off/],
  [
    'bytes before the zip file',
    archive({}, { before: Buffer.from('PK\x03\x04 and more'), directoryAt: 0 }),
    /directory is not where/,
  ],
  ['a directory elsewhere', archive({}, { directoryAt: 2 ** 31 }), /directory is not where/],
  ['more entries than there are', archive({}, { count: 2 }), /fewer entries/],
  ['fewer entries than there are', zip([{}, { name: 'y.npy' }], { count: 1 }), /more than it says/],
  ['65,535 entries, which mean zip64', archive({}, { count: 0xffff }), /zip64|cut off/],
  ['60,000 entries', archive({}, { count: 60_000 }), /more than 1000 tensors/],
  ['a part of several files', archive({}, { disk: 3 }), /several files/],
  ['an entry elsewhere', archive({ at: 2 ** 31 }), /cut off|not where/],
  ['an entry in the directory', archive({ at: 200 }), /not where|cut off|beyond/],
  ['two entries of the same bytes', zip([{}, { name: 'x.npy', at: 0 }]), /overlap/],
  [
    'an entry within another',
    zip([{ content: Buffer.concat([npy(), archive({ name: 'y.npy' })]) }, { name: 'y.npy', at: 40 }]),
    /overlap/,
  ],
  ['an entry with two names', archive({ localName: 'y.npy' }), /second name/],
  ['two arrays of one name', zip([{}, {}]), /two tensors named/],
  ['an encrypted entry', archive({ flags: 1 }), /encrypted/],
  ['an entry compressed by bzip2', archive({ method: 12 }), /method 12/],
  [
    'an entry that is no deflate',
    archive({ method: 8, packed: Buffer.from('no deflate at all') }),
    /can't be inflated|cut off/,
  ],
  [
    'a deflated entry that is cut off',
    archive({ method: 8, packed: deflateRawSync(npy()).subarray(0, 20) }),
    /inflated|cut off/,
  ],
  ['another checksum', archive({ crc: 1 }), /damaged/],
  ['fewer bytes than it has', archive({ method: 8, bytes: 40 }), /more than the 40|shape needs|cut off/],
  ['more bytes than it has', archive({ method: 8, bytes: npy().length + 8 }), /shape needs|fewer/],
  ['a size of 64 bits without one', archive({ bytes: 0xffffffff }), /64 bits is missing/],
  [
    'a size of 2^63',
    archive({ method: 8, bytes: 0xffffffff, extra: Buffer.from('0100080000000000000000ff', 'hex') }),
    /2\^53/,
  ],
  ['two sizes of stored bytes', archive({ bytes: 5 }), /two sizes/],
  [
    'a bomb of 1 GiB',
    archive({
      content: npy(dictionary('<f4', '(134217728, 2)')),
      method: 8,
      packed: zeros(1024 * MIB),
      bytes: 1024 * MIB,
    }),
    /no NumPy array|more than 268435456/,
  ],
  [
    'a bomb that says a size of 1 KiB',
    archive({ method: 8, packed: zeros(512 * MIB), bytes: 1024 }),
    /no NumPy array|more than/,
  ],
  [
    'a bomb behind an honest header',
    archive({
      content: Buffer.concat([npy(dictionary('<f4', '(67108864, 2)'), Buffer.alloc(0)), Buffer.alloc(512 * MIB)]),
      method: 8,
    }),
    /more than 268435456 bytes/,
  ],
  [
    'a thousand bombs',
    zip(
      Array.from({ length: 60 }, (_, at) => ({
        name: `x${at}.npy`,
        content: Buffer.concat([npy(dictionary('<f4', '(1048576, 2)'), Buffer.alloc(0)), Buffer.alloc(8 * MIB)]),
        method: 8,
      })),
    ),
    /more than 268435456 bytes/,
  ],
  ['a zip file in a zip file', archive({ content: archive({}) }), /no NumPy array/],
  ['an entry that is no array', archive({ name: 'x.txt' }), /no array/],
  ['a folder', archive({ name: 'x/', content: Buffer.alloc(0) }), /no array/],
  ['a path that climbs', archive({ name: '../../../../etc/passwd.npy' }), /no input `..\/..\/..\/..\/etc\/passwd`/],
  ['an absolute path', archive({ name: '/etc/passwd.npy' }), /no input `\/etc\/passwd`/],
  ['a name with a null character', archive({ name: 'x\0.npy' }), /no input/],
  ['a name of 64 KB', archive({ name: `${'x'.repeat(60_000)}.npy` }), /more than 512 characters/],
  [
    'a name that is no UTF-8',
    Buffer.from(archive({ name: 'xé.npy' }).toString('latin1').replaceAll('Ã©', 'Ã~'), 'latin1'),
    /UTF-8/,
  ],
  ['Python objects', array(dictionary('|O'), Buffer.from('cos\nsystem\n(S"id"\ntR.')), /Python objects/],
  ['records', array("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 2), }"), /records/],
  ['complex numbers', array(dictionary('<c8', '(1, 1)')), /type <c8/],
  ['a type of no name', array(dictionary('', '(1, 2)')), /header|type/],
  ['a header that is code', array("__import__('os').system('id')"), /header is not/],
  ['a header with more keys', array(dictionary().replace('}', "'x': True, }")), /header is not/],
  ['a header with a key twice', array(dictionary().replace('}', "'descr': '<f8', }")), /twice/],
  [
    'a header of 4 GiB',
    archive({ content: Buffer.concat([Buffer.from('\x93NUMPY\x02\0\xff\xff\xff\xff', 'latin1'), Buffer.alloc(64)]) }),
    /header of more/,
  ],
  ['a header that never ends', array(`{${'('.repeat(50_000)}`), /header is not/],
  ['a version of the future', array(dictionary(), floats(1, 2), [9, 0]), /version 9\.0/],
  ['no magic', archive({ content: Buffer.from('no array at all, only text') }), /no NumPy array/],
  ['an empty entry', archive({ content: Buffer.alloc(0) }), /no NumPy array|cut off/],
  ['a shape of 2^124', array(dictionary('<f4', '(4611686018427387904, 4611686018427387904)')), /shape/],
  ['a negative shape', array(dictionary('<f4', '(-1, -2)')), /shape|header/],
  ['a shape of 17 dimensions', array(dictionary('<f4', `(${'1, '.repeat(17)})`)), /16 dimensions/],
  ['a shape beyond its bytes', array(dictionary('<f4', '(1000000, 2)')), /shape needs 8000000 bytes/],
  ['a shape within its bytes', array(dictionary('<f4', '(0, 2)')), /shape needs 0 bytes/],
  [
    '10^12 texts of no bytes',
    array(dictionary('<U0', '(1000000, 1000000)'), Buffer.alloc(0)),
    /more than 1000000 strings/,
  ],
  ['texts of half a character', array(dictionary('<U1', '(1, 2)'), utf32(0xd800, 0x61)), /no text/],
  ['texts beyond Unicode', array(dictionary('<U1', '(1, 2)'), utf32(0x110000, 0x61)), /no text/],
  ['bytes that are no text', array(dictionary('|S1', '(1, 2)'), Buffer.of(0xff, 0x61)), /no text/],
  ['text for numbers', array(dictionary('<U1', '(1, 2)'), utf32(0x61, 0x62)), /must be float32, not string/],
  ['a bool of 7', array(dictionary('|b1', '(1, 2)'), Buffer.of(7, 1)), /0 or 1/],

  ['a header longer than the file', safetensors({ x }, floats(1, 2), 100_000), /header is cut off/],
  ['a header of 4 GiB', safetensors({ x }, floats(1, 2), 2 ** 32 - 1), /header has more/],
  ['a header that is cut short', safetensors({ x }, floats(1, 2), 10), /not JSON/],
  ['a header that nests deeply', safetensors(`{"x":${'['.repeat(50_000)}`), /not JSON/],
  ['tensors that overlap', safetensors({ x, y: { ...x, data_offsets: [4, 12] } }, floats(1, 2, 3)), /overlap/],
  ['two tensors of the same bytes', safetensors({ x, y: x }), /overlap/],
  ['a hole', safetensors({ x, y: { ...x, data_offsets: [12, 20] } }, floats(1, 2, 3, 4, 5)), /no tensor has the bytes/],
  ['bytes of no tensor', safetensors({ x }, floats(1, 2, 3)), /last bytes/],
  ['bytes beyond the file', safetensors({ x: { ...x, shape: [5, 2], data_offsets: [0, 40] } }), /cut off/],
  ['offsets that go back', safetensors({ x: { ...x, data_offsets: [8, 0] } }), /data_offsets/],
  ['negative offsets', safetensors({ x: { ...x, data_offsets: [-8, 0] } }), /data_offsets/],
  ['offsets of 1e308', safetensors('{"x":{"dtype":"F32","shape":[1,2],"data_offsets":[0,1e308]}}'), /data_offsets/],
  ['offsets in words', safetensors({ x: { ...x, data_offsets: ['0', '8'] } }), /data_offsets/],
  ['a shape beyond its offsets', safetensors({ x: { ...x, shape: [2, 2] } }), /shape needs 16 bytes/],
  ['a shape of 2^104', safetensors({ x: { ...x, shape: [2 ** 52, 2 ** 52] } }), /2\^53/],
  ['a shape in halves', safetensors({ x: { ...x, shape: [0.5, 4] } }), /whole numbers/],
  [
    'a type of eight bits',
    safetensors({ x: { ...x, dtype: 'F8_E4M3', data_offsets: [0, 2] } }, Buffer.alloc(2)),
    /F8_E4M3, which .* does not carry/,
  ],
  ['a type that every object has', safetensors({ x: { ...x, dtype: 'toString' } }), /type toString/],
  ['a tensor that is none', safetensors({ x: null }), /must have dtype/],
  ['a name of 100 KB', safetensors({ ['x'.repeat(100_000)]: x }), /more than 512 characters/],
  ['the name of a prototype', safetensors(`{"__proto__":${JSON.stringify(x)}}`), /no input `__proto__`/],
  ['a path as a name', safetensors({ '../../etc/passwd': x }), /no input/],
  [
    '2,000 tensors',
    safetensors(
      Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [`x${at}`, { dtype: 'F32', shape: [0], data_offsets: [0, 0] }]),
      ),
      Buffer.alloc(0),
    ),
    /more than 1000 tensors/,
  ],
]
