import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it, mock } from 'node:test'
import { applyPatch } from 'diff'
import { checks } from './checks.ts'
import { brief, debug, said } from './debug.fixture.ts'
import { rules } from './engine.ts'
import { mend } from './mend.ts'
import type { Input, Result } from './result.ts'

it('where there is no change, whether it applies is not measured', async () => {
  const measured = async (input: Input) => {
    const asked = brief(input)
    return checks(asked, await rules(asked)).map(({ id }) => id)
  }
  const trace = said('py-misspelt', 'trace').replace('.txt', '')
  const files = [{ path: 'main.py', text: said('py-misspelt', 'main.py') }]
  assert.ok((await measured({ trace, files })).includes('change_applies'))
  assert.deepEqual(await measured({ trace }), ['frame_is_in_the_trace', 'code_is_as_given'])
})

it('the failing line is shown of code whose lines end in a carriage return alone', async () => {
  const files = [{ path: 'a.js', text: 'const a = 1\rconst b = a\rthrow new Error(b)\r' }]
  const { code } = await debug({ trace: 'Error: 1\n    at f (/app/a.js:3:7)', files })
  assert.deepEqual(code.find(({ line }) => line === 3)?.text, 'throw new Error(b)')
})

it('renaming a file is advised only where the error names the file', async () => {
  const meant = async (error: string) => {
    const trace = `Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n    f()\n${error}`
    const [first] = (await debug({ trace })).causes
    return `${first?.cause} ${first?.advice}`
  }
  const moved = await meant("AttributeError: module 'yaml' has no attribute 'load_all2'")
  assert.match(moved, /as it is installed, has no load_all2\. .*version may have moved/)
  assert.match(
    await meant("AttributeError: module 'collections' has no attribute 'Mapping'"),
    /moved to collections\.abc/,
  )
  assert.match(
    await meant("ModuleNotFoundError: No module named 'distutils.core'"),
    /3\.12 removed the module distutils/,
  )
  const circle =
    "AttributeError: partially initialized module 'a' has no attribute 'b' (most likely due to a circular import)"
  for (const text of [moved, await meant(circle)]) assert.doesNotMatch(text, /[Rr]ename/)
  const shadowed =
    "AttributeError: module 'random' has no attribute 'randint' (consider renaming '/app/random.py' since it has the same name as the standard library module named 'random' and prevents importing that standard library module)"
  assert.match(await meant(shadowed), /Rename \/app\/random\.py\./)
})

it('a path that leads nowhere is not to be installed', async () => {
  const trace = "Error: Cannot find module './moved.js'\n    at f (/app/a.js:1:1)"
  const { causes } = await debug({ trace })
  assert.equal(causes[0]?.advice, 'Correct the path, with its ending.')
})

describe('a change', () => {
  const trace = said('py-misspelt', 'trace').replace('.txt', '')
  const text = said('py-misspelt', 'main.py')

  it('is given where the linter proves it', async () => {
    const { change } = await debug({ trace, files: [{ path: 'main.py', text }] })
    assert.match(applyPatch(text, change?.patch ?? '') || '', /customer\.title/)
    assert.deepEqual(change?.proof, { rule: 'F821', before: 1, after: 0 })
  })

  it('is given where the checker of types proves it, which sees the other files', async () => {
    const text = "import type { Basket } from './basket.ts'\nexport const total = (b: Basket) => b.addAl()\n"
    const basket = { path: 'src/basket.ts', text: 'export class Basket {\n  addAll() {\n    return 1\n  }\n}\n' }
    const at = 'TypeError: b.addAl is not a function\n    at total (/app/src/total.ts:2:38)'
    const { change, causes } = await debug({ trace: at, files: [{ path: 'src/total.ts', text }, basket] })
    assert.match(applyPatch(text, change?.patch ?? '') || '', /b\.addAll\(\)/)
    assert.deepEqual(change?.proof, { rule: 'TS2551', before: 1, after: 0 })
    assert.deepEqual(causes.at(-1)?.rule, 'TS2551')
    const needing = { ...basket, text: basket.text.replace('addAll()', 'addAll(all: string[])') }
    const files = [{ path: 'src/total.ts', text }, needing]
    assert.equal((await debug({ trace: at, files })).change, null, 'then it lacks an argument')
  })

  it('is not given where several names are as near, or none is', async () => {
    for (const other of ['custmers = custume = custmeri = 1\n', ''])
      for (const wrong of ['custmer', 'zzz']) {
        if (other === '' && wrong === 'custmer') continue
        const files = [{ path: 'main.py', text: text.replace('custmer', wrong) + other }]
        const { change } = await debug({ trace: trace.replaceAll('custmer', wrong), files })
        assert.equal(change, null, `${wrong} ${other}`)
      }
  })

  it('is not given where the linter would see something new', async () => {
    const constant = 'const total = 1\nfunction add() {\n  total = total + count\n}\nadd()\n'
    const at = 'TypeError: Assignment to constant variable.\n    at add (/app/a.js:3:3)'
    const { change } = await debug({ trace: at, code: constant, path: 'a.js' })
    assert.match(change?.patch ?? '', /^\+let total = 1$/m)
    const twice = constant.replace('const total = 1', 'for (const total = 1; ;) {}\nconst total = 1')
    assert.equal((await debug({ trace: at.replace(':3:3', ':4:3'), code: twice, path: 'a.js' })).change, null)
  })
})

it('what was being handled is told beside what went wrong then', async () => {
  const { error, causes } = await debug({ trace: said('py-during', 'trace') })
  const handled = causes.find(({ cause }) => cause.startsWith('It went wrong while another error was handled: '))
  assert.ok(handled?.line)
  assert.ok(!handled.cause.includes(error.message))
})

it('a cause that the error and a rule tell alike is told once', async () => {
  const files = [{ path: 'main.py', text: said('py-misspelt', 'main.py') }]
  const { causes } = await debug({ trace: said('py-misspelt', 'trace').replaceAll('.txt', ''), files })
  assert.equal(new Set(causes.map(({ advice }) => advice)).size, causes.length)
})

describe('the checks of what was found', () => {
  const trace = said('py-misspelt', 'trace').replace('.txt', '')
  const asked = brief({ trace, files: [{ path: 'main.py', text: said('py-misspelt', 'main.py') }] })
  const failed = async (change: (result: Result) => Partial<Result>) => {
    const answer = await rules(asked)
    const measured = await checks(asked, { ...answer, result: { ...answer.result, ...change(answer.result) } })
    return measured.flatMap(({ id, pass }) => (pass ? [] : id))
  }

  for (const [what, change, ids] of [
    ['nothing', () => ({}), []],
    [
      'the file of the frame',
      ({ failing_frame: frame }) => ({ failing_frame: frame && { ...frame, file: 'other.py' } }),
      ['frame_is_in_the_trace'],
    ],
    ['the frame itself', () => ({ failing_frame: null }), ['frame_is_in_the_trace']],
    [
      'a line of the code',
      ({ code }) => ({ code: code.map(line => ({ ...line, text: `${line.text}x` })) }),
      ['code_is_as_given'],
    ],
    [
      'the number of a line',
      ({ code }) => ({ code: code.map(line => ({ ...line, line: line.line + 1 })) }),
      ['code_is_as_given'],
    ],
    [
      'the file of the change',
      ({ change }) => ({ change: change && { ...change, file: 'other.py' } }),
      ['change_applies'],
    ],
    [
      'a line of the patch',
      ({ change }) => ({ change: change && { ...change, patch: change.patch.replace('custmer', 'nobody') } }),
      ['change_applies'],
    ],
  ] as const satisfies [string, (result: Result) => Partial<Result>, readonly string[]][])
    it(`see that ${what} was changed`, async () => assert.deepEqual(await failed(change), ids))
})

it('it reads the files of the program alone, and needs no environment', () => {
  const root = join(import.meta.dirname, '../../../../..')
  const trace = said('js-misspelt', 'trace')
  const program = `
    const { rules } = await import(${JSON.stringify(join(import.meta.dirname, 'engine.ts'))})
    const files = [{ path: 'main.mjs', text: ${JSON.stringify(said('js-misspelt', 'main.mjs'))} }]
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { trace: ${JSON.stringify(trace)}, files } })
    console.log(result.change.proof.rule)`
  const args = ['--permission', `--allow-fs-read=${root}`, '--input-type=module', '--eval', program]
  const out = execFileSync(process.execPath, args, { env: {}, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  assert.equal(out.toString(), 'no-undef\n')
})

it('of a line with hundreds of faults a few changes are tried', async () => {
  const word = (seed: number) =>
    [3, 7, 11, 13, 17, 19, 23, 29].map(k => 'abcdefghijklmnopqrstuvwxyz'[(seed * k) % 26]).join('')
  const words = Array.from({ length: 300 }, (_, i) => `${word(i + 1)}${i}`)
  // A name near each, which is not there either: no change of one is proven.
  const text = `print(${words.join(', ')})\n# ${words.map(one => `${one}_`).join(' ')}\n`
  const { Workspace } = createRequire(import.meta.url)('@astral-sh/ruff-wasm-nodejs')
  const read = mock.method(Workspace.prototype, 'check')
  const { near, mended } = await mend({ path: 'a.py', language: 'python', text }, 1)
  mock.restoreAll()
  assert.equal(mended, undefined)
  assert.equal(near.length, 300)
  assert.ok(read.mock.callCount() > 2 && read.mock.callCount() < 12, `${read.mock.callCount()} readings of the file`)
})

it('what an error means is said as the trace tells it', async () => {
  const meant = async (...lines: string[]) => {
    const [first] = (await debug({ trace: lines.join('\n') })).causes
    return `${first?.cause} ${first?.advice}`
  }
  const go = (state: string) =>
    meant(
      'fatal error: all goroutines are asleep - deadlock!',
      '',
      `goroutine 1 [${state}]:`,
      'main.main()',
      '\t/app/main.go:23 +0xfb',
    )
  assert.match(await go('chan send'), /waits to send, and nobody is left to receive/)
  assert.match(await go('chan receive'), /waits to receive, and nobody is left to send/)
  assert.match(await go('chan receive (nil chan)'), /never made/)
  assert.doesNotMatch(await go('sync.WaitGroup.Wait'), /nobody sends/)
  assert.match(
    await meant(
      'file:///app/imp.mjs:2',
      "import { debounce } from 'ms'",
      '         ^^^^^^^^',
      "SyntaxError: Named export 'debounce' not found. The requested module 'ms' is a CommonJS module, which may not support all module.exports as named exports.",
      '    at #asyncInstantiate (node:internal/modules/esm/module_job:455:21)',
    ),
    /is CommonJS, and Node\.js sees no export debounce/,
  )
  assert.match(
    await meant(
      'ZodError: [',
      '  {',
      '    "expected": "number",',
      '    "code": "invalid_type",',
      '    "path": [',
      '      "port"',
      '    ],',
      '    "message": "Invalid input: expected number, received string"',
      '  }',
      ']',
      '    at load (file:///app/load.mjs:4:19)',
    ),
    /First at "port": Invalid input: expected number, received string\./,
  )
  const zod = (path: string) =>
    meant(
      ...`ZodError: [\n  {\n    "path": ${path},\n    "message": "Required"\n  }\n]\n    at load (file:///app/load.mjs:4:19)`.split(
        '\n',
      ),
    )
  assert.match(await zod('[\n      "user",\n      "name"\n    ]'), /First at "user", "name": Required\./)
  assert.match(await zod('[]'), /not the form that the schema asks for\. Correct/)
  assert.match(
    await meant(
      'java.lang.NoClassDefFoundError: Could not initialize class app.Prices',
      '\tat app.Main.main(Main.java:7)',
    ),
    /^What app\.Prices does when it is loaded.* failed before/,
  )
  assert.match(
    await meant(
      'Traceback (most recent call last):',
      '  File "/app/feed.py", line 16, in due',
      '    return start - now',
      "TypeError: can't subtract offset-naive and offset-aware datetimes",
    ),
    /has a time zone and the other has none/,
  )
})

it('a Java exception without frames of its own is among what the first became', async () => {
  const trace = `Exception in thread "main" java.lang.ExceptionInInitializerError
Caused by: java.lang.NumberFormatException: For input string: "five"
\tat java.base/java.lang.Integer.parseInt(Integer.java:662)
\tat Stock.limits(Stock.java:11)
`
  const { error, became, failing_frame: frame } = await debug({ trace })
  assert.deepEqual(
    [error.type, frame?.line, became],
    ['java.lang.NumberFormatException', 11, [{ type: 'java.lang.ExceptionInInitializerError', message: '' }]],
  )
  const lines = trace.replace(
    'InitializerError',
    'InitializerError: no limits;\n  nested exception is app.StockException: none',
  )
  assert.deepEqual((await debug({ trace: lines })).became[0]?.type, 'java.lang.ExceptionInInitializerError')
  const heads = 'java.lang.RuntimeException: a\nCaused by: java.lang.IllegalStateException: b'
  await assert.rejects(debug({ trace: heads }), /is not a stack trace/)
})
