import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fail, failFaults, problemOf } from './errors.ts'
import { withoutOwnPaths, withoutPaths } from './redact-paths.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url)).slice(0, -1)
const temporary = `${tmpdir()}/millhand-model-12-m9x-aB3dEf`

/** Of Millhand's own files, as libraries write them. */
const own = [
  `ENOENT: no such file or directory, open '${temporary}/0.in'`,
  `IO Error: No files found that match the pattern "${temporary}/a b.csv"`,
  `    at run (file://${checkout}/services/workforce/employees/src/runner/child.ts:120:7)\n    at next`,
  `Cannot find module '${checkout}/node_modules/.pnpm/x@1/node_modules/x' imported from ${checkout}/a.ts`,
  JSON.stringify({ checks: [`${temporary}/a.ts: 3 faults\n${checkout}`] }),
]

/** Of the machines that libraries were built on, or of the system's. */
const foreign = [
  'Status Message: /onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* Allocate() Failed',
  "thread 'main' panicked at /home/runner/.cargo/registry/src/index-1/rustpython-ast-0.1.0/src/lib.rs:12:5",
  "EACCES: permission denied, open '/etc/ssl/openssl.cnf'",
  'error while loading shared libraries: /usr/lib/x86_64-linux-gnu/libvips.so.42: no such file',
  'at file:///opt/somewhere/else.js:1:2',
  'Load model from /srv/models/mine/model.onnx failed:Protobuf parsing failed.',
]

test('paths of its own files are left out of what a caller hears, and the rest stays', () => {
  for (const text of own) {
    for (const left of [withoutOwnPaths(text), withoutPaths(text)]) {
      assert.ok(!left.includes(checkout) && !left.includes('millhand-') && left.includes('…'), left)
    }
  }
  assert.equal(withoutOwnPaths(own[0] as string), "ENOENT: no such file or directory, open '…'")
  assert.equal(withoutOwnPaths(own[2] as string), '    at run (…)\n    at next')
  assert.equal(withoutOwnPaths(own[4] as string), '{"checks":["… 3 faults\\n…"]}')
})

test('of the words of a library no absolute path is left', () => {
  for (const text of foreign) {
    const left = withoutPaths(text)
    assert.doesNotMatch(left, /\/\w+\//, left)
    assert.ok(left.includes('…'), left)
  }
})

test("a caller's own words stay as they are", () => {
  const words = [
    'src/app/index.ts',
    'https://example.com/a/b?c=d/e',
    'application/json',
    'and/or',
    '1/2/3',
    'a: b / c / d',
  ]
  for (const text of words) assert.equal(withoutPaths(text), text)
  const paths = ['the file `/home/me/report.csv` is empty', tmpdir(), '/etc/passwd', `${checkout}-of-another/a.txt`]
  for (const text of ['GET /v1/tasks/task_1', ...paths]) {
    assert.equal(withoutOwnPaths(text), text)
  }
})

test('no problem says a path of its own files', () => {
  for (const path of [`${checkout}/a.ts`, `${temporary}/a.ts`]) {
    const fault = { param: path, code: 'unknown_parameter', message: `There is no ${path}.` }
    for (const error of [fail('not_found', `There is no ${path}.`, { param: path }), failFaults([fault])]) {
      const told = JSON.stringify([problemOf(error, 'req_1'), error.message])
      assert.ok(!told.includes(path), told)
    }
  }
})
