import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describingHeaders } from './headers.ts'

const sha256 = '00'.repeat(32)

/** The header that a file with that name, or that media type, is described with. */
function header(wanted: string, file: { filename?: string; mediaType?: string }): string {
  const headers = describingHeaders({ filename: '', mediaType: '', bytes: 0, sha256, ...file })
  for (const value of headers) assert.match(value, /^[\t -~]*$/)
  return headers[headers.indexOf(wanted) + 1] as string
}

for (const [filename, expected] of [
  ['receipt.jpg', 'attachment; filename="receipt.jpg"'],
  ['', 'attachment'],
  ['a b (1).txt', 'attachment; filename="a b (1).txt"'],
  ['a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
  ['100%41.txt', `attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`],
  ["l'été*.txt", `attachment; filename="l'_t_*.txt"; filename*=UTF-8''l%27%C3%A9t%C3%A9%2A.txt`],
  ['日本.txt', `attachment; filename="__.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`],
  ['😀', `attachment; filename="_"; filename*=UTF-8''%F0%9F%98%80`],
  ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
  ['C:\\dir\\a.txt', 'attachment; filename="C:_dir_a.txt"'],
  ['a\r\nSet-Cookie: b=c', 'attachment; filename="a__Set-Cookie: b=c"'],
  ['a\0b\u0085', 'attachment; filename="a_b_"'],
  ['gpj\u202eexe.txt', 'attachment; filename="gpj_exe.txt"'],
  ['half \ud800 pair', `attachment; filename="half _ pair"; filename*=UTF-8''half%20%EF%BF%BD%20pair`],
] as const) {
  test(`the name ${JSON.stringify(filename)}`, () => {
    assert.equal(header('Content-Disposition', { filename }), expected)
  })
}

for (const [mediaType, isTold] of [
  ['image/png', true],
  ['text/plain; charset=utf-8', true],
  ['application/vnd.ms-excel;a="b c";d=e', true],
  ['text/html', true],
  ['text/csv;; charset=utf-8;', true],
  ['text/csv; name="a \\"b\\" c" ;', true],
  ['text/csv; name="a\\"', false],
  ['', false],
  ['image', false],
  ['image/', false],
  ['image/png\r\nX: y', false],
  ['image/png, text/html', false],
  ['image/png; a', false],
  ['image/png; a="b', false],
  ['image/pñg', false],
  [`a/b${'; a=b'.repeat(40)} `, false],
] as const) {
  test(`the media type ${JSON.stringify(mediaType.slice(0, 40))}`, () => {
    assert.equal(header('Content-Type', { mediaType }), isTold ? mediaType : 'application/octet-stream')
  })
}
