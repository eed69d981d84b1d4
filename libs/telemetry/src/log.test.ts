import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type LogOptions } from './log.ts'
import { setLineExporter } from './log-export/line-exporter.ts'
import type { Line } from './log-line.ts'

describe('log', () => {
  it('writes one JSON line an event', () => {
    const { log, lines } = open()
    log.info('task.accepted', { task_id: 'task_1', text: 'two\nlines' })
    assert.deepEqual(lines, [
      '{"time":"1970-01-01T00:00:01.500Z","level":"info","event":"task.accepted","task_id":"task_1","text":"two\\nlines"}\n',
    ])
  })

  it('leaves out what is below its level', () => {
    const { log, parsed } = open({ level: 'warn' })
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('a.b')
    assert.deepEqual(
      parsed().map(({ level }) => level),
      ['warn', 'error'],
    )
  })

  it('adds the bindings of its parents, and lets fields win over them, but not over what a line is', () => {
    const { log, parsed } = open({ bindings: { service: 'compute', a: 1 } })
    log.child({ b: 2, c: 2 }).info('a.b', { c: 3, level: 'none', event: 'none', time: 0 })
    assert.deepEqual(parsed(), [
      { time: '1970-01-01T00:00:01.500Z', level: 'info', event: 'a.b', service: 'compute', a: 1, b: 2, c: 3 },
    ])
  })

  it('shows errors with stack, code and cause', () => {
    const { log, parsed } = open()
    const cause = Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    log.error('store.failed', { error: new Error('not written', { cause }) })
    const error = parsed()[0]?.error
    assert.equal(error.message, 'not written')
    assert.match(error.stack, /log\.test\.ts/)
    assert.equal(error.cause.code, 'ENOSPC')
    assert.equal(error.cause.message, 'disk full')
  })

  for (const name of [
    'authorization',
    'Authorization',
    'key',
    'api_key',
    'apiKey',
    'secret',
    'client_secret_v2',
    'token',
    'access-token',
    'input',
    'output',
    'password',
    'passwordHash',
    'set-cookie',
  ]) {
    it(`leaves out the value of ${name}, at any depth`, () => {
      const { log, lines } = open()
      log.info('a.b', { [name]: 'swordfish', deep: [{ er: { [name]: { x: 'swordfish' } } }] })
      assert.doesNotMatch(lines[0] ?? '', /swordfish/)
      assert.equal(lines[0]?.match(/\[redacted\]/g)?.length, 2)
    })
  }

  it('shows names that only look like secrets', () => {
    const { log, parsed } = open()
    const fields = { key_id: 'key_1', input_tokens: 5, input_file: 'file_1', monkey: 'see' }
    log.info('a.b', fields)
    assert.partialDeepStrictEqual(parsed()[0], fields)
  })

  it('leaves out API keys inside of any text', () => {
    const { log, lines } = open()
    log.info('a.b', { error: new Error('bad key mh_live_0123456789abcdefghijABCDEFGHIJ012345') })
    assert.doesNotMatch(lines[0] ?? '', /0123456789/)
    assert.match(lines[0] ?? '', /bad key mh_live_\[redacted\]/)
  })

  it('never throws', () => {
    const { log, parsed } = open()
    const circular: Record<string, unknown> = { big: 10n ** 20n, not: Number.NaN, bytes: new Uint8Array(3) }
    circular.self = circular
    circular.map = new Map([['set', new Set([1])]])
    Object.defineProperty(circular, 'bad', { enumerable: true, get: throwing })
    log.info('a.b', { circular, json: { toJSON: throwing }, date: new Date(Number.NaN), call: throwing })
    assert.partialDeepStrictEqual(parsed()[0], {
      circular: {
        big: '100000000000000000000',
        not: 'NaN',
        bytes: '[3 bytes]',
        self: '[circular]',
        map: { set: [1] },
        bad: '[unreadable]',
      },
      json: '[unreadable]',
      date: '[invalid date]',
      call: '[function]',
    })
    createLog({ level: 'info', write: throwing }).info('a.b')
  })

  it('cuts what is too deep, too many or too long', () => {
    const { log, parsed } = open()
    let deep: unknown = 'bottom'
    for (let i = 0; i < 50; i++) deep = { deep }
    log.info('a.b', { deep, many: Array(200).fill(0), long: 'x'.repeat(10_000) })
    const [line] = parsed()
    assert.match(JSON.stringify(line.deep), /too deep/)
    assert.equal(line.many.at(-1), '[100 more]')
    assert.match(line.long, /x\[1808 more\]$/)
  })
})

describe('log that is exported', () => {
  for (const format of ['json', 'terminal'] as const) {
    it(`exports what it writes as ${format}, without secrets`, () => {
      const exported: Line[] = []
      setLineExporter({ export: line => void exported.push(line), onDropped() {} })
      try {
        const { log } = open({ format, level: 'info', bindings: { process: 'compute' } })
        log.debug('a.b')
        log.warn('a.c', { token: 'swordfish', error: 'bad key mh_live_0123456789abcdefghijABCDEFGHIJ012345', at: 1n })
      } finally {
        setLineExporter(undefined)
      }
      const time = '1970-01-01T00:00:01.500Z'
      const fields = { token: '[redacted]', error: 'bad key mh_live_[redacted]', at: '1' }
      assert.deepEqual(exported, [{ time, level: 'warn', event: 'a.c', process: 'compute', ...fields }])
    })
  }

  it('writes its lines also where the exporter fails', () => {
    setLineExporter({ export: throwing, onDropped() {} })
    const { log, lines } = open()
    try {
      log.info('a.b')
    } finally {
      setLineExporter(undefined)
    }
    assert.equal(lines.length, 1)
  })
})

describe('log on a terminal', () => {
  it('writes one line for people', () => {
    const { log, lines } = open({ format: 'terminal', color: false })
    log.warn('task.slow', { task_id: 'task_1', ms: 5, text: 'a b\u001b[2J', left_out: undefined })
    assert.deepEqual(lines, ['00:00:01.500 WARN  task.slow task_id=task_1 ms=5 text="a b\\u001b[2J"\n'])
  })

  it('shows the stack of an error below', () => {
    const { log, lines } = open({ format: 'terminal', color: false })
    log.error('store.failed', { error: new Error('disk full') })
    assert.match(lines[0] ?? '', /^00:00:01.500 ERROR store.failed error="disk full"\nError: disk full\n +at /)
  })

  it('has colours unless told otherwise', () => {
    const { log, lines } = open({ format: 'terminal', color: true })
    log.error('a.b')
    assert.ok(lines[0]?.includes('\u001b[31mERROR'))
  })
})

function open(options: Partial<LogOptions> = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: line => lines.push(line), now: () => 1500, ...options })
  // biome-ignore lint/suspicious/noExplicitAny: lines have whatever fields a test gave them
  return { log, lines, parsed: (): any[] => lines.map(line => JSON.parse(line)) }
}

function throwing(): never {
  throw new Error('must not get out')
}
