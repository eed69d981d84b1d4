/** Code by a language model, in the process that runs kinds: what the model says is tested there and reaches nothing. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { faultsOf } from '../../src/run-rules.ts'
import { spoken } from '../../src/runner/spoken.fixture.ts'
import { written } from '../../src/runner/written.fixture.ts'
import example from './example.json' with { type: 'json' }
import outputSchema from './output.schema.json' with { type: 'json' }
import type { CodeFile } from './result.ts'

const kind = 'alex/write_code'

const said = (files: readonly CodeFile[], language = 'python') =>
  JSON.stringify({ language, files, explanation: 'As asked.', assumptions: [] })

/** Children of this process that run code which nobody has read (proc(5)). */
function isolatedProcesses(): string[] {
  if (process.platform !== 'linux') return []
  const children = readdirSync('/proc/self/task').flatMap(thread =>
    textOf(`/proc/self/task/${thread}/children`).split(' '),
  )
  return children.filter(pid => pid !== '' && textOf(`/proc/${pid}/cmdline`).includes('isolated-child'))
}

/** Empty for a process or thread that is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

describe('code by a language model', { timeout: 1_800_000 }, () => {
  it('is a typed result with the tests given run on it', async t => {
    const text = `export function inWords(seconds: number): string {
      if (!Number.isInteger(seconds) || seconds < 0) throw new RangeError('no')
      return ({ 3661: '1 hour 1 minute', 172800: '2 days', 45: '45 seconds' } as Record<number, string>)[seconds] ?? '0 seconds'
    }`
    const isolated = new Set<string>()
    const looking = setInterval(() => {
      for (const pid of isolatedProcesses()) isolated.add(pid)
    }, 5)
    t.after(() => clearInterval(looking))
    const { result, checks, engine, warnings } = await written(t, kind, example, [
      'Here is the code: {',
      said([{ path: 'in-words.ts', text }], 'typescript'),
    ])
    assert.equal(engine.kind, 'llm')
    assert.equal(faultsOf(outputSchema, result), undefined)
    assert.match(warnings[0], /2 tries/)
    for (const { id, pass, value } of checks) assert.ok(pass, `${id}: ${value}`)
    assert.ok(
      checks.some(({ id, value }: { id: string; value: string }) => id === 'tests_pass_javascript' && value === '3'),
    )
    if (process.platform !== 'linux') return
    assert.equal(isolated.size, 1, 'the tests had a process of their own')
    assert.deepEqual(isolatedProcesses(), [], 'which is gone')
  })

  it('that puts a file outside its project is not delivered', async t => {
    const bad = ['../a.py', '/etc/a.py', 'a/../../b.py'].map(path => said([{ path, text: 'a = 1\n' }]))
    assert.equal((await written(t, kind, { topic: 'a' }, bad)).code, 'answer_invalid')
  })

  it('that is hostile reaches no file, no process and no socket', async t => {
    let reached = 0
    const server = createServer(() => reached++).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    process.env.PATH_OF_THE_OPERATOR = '/secret'
    t.after(() => delete process.env.PATH_OF_THE_OPERATOR)
    const trace = `/tmp/millhand-write-code-${process.pid}`
    const told = async (ways: readonly string[]) => {
      const body = `[${ways.map(way => `lambda: ${way}`).join(', ')}]`
      const code = `import importlib, importlib.machinery, importlib.util\nways = ${body}\n`
      const tests = ways.map((_, at) => `def test_${at}():\n    assert hostile.ways[${at}]() is not None\n`).join('')
      const brief = { topic: 'a', input: { tests: [{ path: 'test_code.py', text: `import hostile\n${tests}` }] } }
      const answer = said([{ path: 'hostile.py', text: code }])
      const { checks } = await written(t, kind, brief, [answer, answer])
      return checks.find(({ id }: { id: string }) => id === 'tests_pass_python')
    }
    const ways = [
      `__import__('os').popen('touch ${trace}').read()`,
      `__import__('os').system('touch ${trace}') == 0 or None`,
      `importlib.util.module_from_spec(importlib.machinery.BuiltinImporter.find_spec('posix')).system('id') == 0 or None`,
      `open('/etc/hostname').read()`,
      `open(${JSON.stringify(import.meta.filename)}).read()`,
      `open('/proc/self/environ').read()`,
      `__import__('urllib.request').request.urlopen('http://127.0.0.1:${port}/').read()`,
      `__import__('js').process.pid`,
      `__import__('pyodide').code.run_js('process.pid')`,
      `__import__('_pyodide_core').run_js('process.pid')`,
      `[__import__('pyodide_js').mountNodeFS('/h', '/etc'), __import__('os').listdir('/h')]`,
      `__import__('pyodide.ffi').ffi.create_proxy(print).constructor.constructor('return typeof process')()`,
      `__import__('socket').create_connection(('127.0.0.1', ${port}), 1).recv(1)`,
      `__import__('socket').getaddrinfo('localhost', 80)`,
      `__import__('ctypes').CDLL(None).emscripten_run_script_string`,
      `__import__('os').fork()`,
      `__import__('os').kill(__import__('os').getppid(), 9) or 1`,
      `__import__('threading').Thread(target=print).start() or 1`,
      `__import__('os').environ['PATH_OF_THE_OPERATOR']`,
    ]
    const run = await told(ways)
    assert.match(run.value, /^0: test_0: /)
    assert.equal(run.target, `${ways.length}`)
    // What gets past Python's own refusal ends the interpreter, whichever way it takes.
    const objects = `[one for each in __import__('gc').get_objects() for one in __import__('gc').get_referents(each)]`
    const unhidden = `[__import__('sys').modules.pop(name, None) for name in ['ctypes', '_ctypes', 'pyodide_js', '_pyodide_core']]`
    for (const [way, refused] of [
      [`[${unhidden}, __import__('ctypes').CDLL(None).emscripten_run_script_string]`, 'ffi_closure_alloc_js'],
      [`[one.constructor for one in ${objects} if 'JsProxy' in type(one).__name__]`, 'JsProxy_GetAttr_js'],
    ] as const)
      assert.match((await told([way])).value, new RegExp(`^0: code in the sandbox has no access to ${refused}`), way)
    assert.equal(reached, 0)
    assert.ok(!existsSync(trace))
  })
})

it('code that fails a test is asked for once more, with the test named', async () => {
  const tests = [{ path: 'one.test.js', text: "test('is one', () => expect(require('./one.js').one).toBe(1))\n" }]
  const code = (value: number) => said([{ path: 'one.js', text: `exports.one = ${value}\n` }], 'javascript')
  const { made, asked } = await spoken(kind, { topic: 'one', input: { tests } }, [code(2), code(1)])
  assert.equal(asked.length, 2)
  assert.match(asked[1] ?? '', /tests pass javascript: 0: is one: .*, and should be 1/)
  assert.equal(made?.checks.find(({ id }) => id === 'tests_pass_javascript')?.pass, true)
  assert.match(made?.answer.warnings?.join('') ?? '', /asked again, as an earlier answer was not right: tests pass/)
})
