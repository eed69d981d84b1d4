import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { ConfigurationError, configuration } from './configuration.ts'
import {
  type Address,
  address,
  boolean,
  duration,
  integer,
  list,
  oneOf,
  optional,
  path,
  type Secret,
  type Setting,
  secret,
  text,
} from './setting.ts'

const schema = {
  MILLHAND_HTTP_ADDR: address('127.0.0.1:8080', 'Where REST is served.'),
  MILLHAND_LOG_LEVEL: oneOf('info', 'What is logged.', ['debug', 'info']),
  MILLHAND_WORKERS: integer(2, 'Child processes.', { min: 1, max: 64 }),
  MILLHAND_MODELS_DIR: optional(path(undefined, 'Own models.')),
  MILLHAND_SECRET_KEY: secret('Encrypts webhook secrets.'),
}

const enough = { MILLHAND_SECRET_KEY: 'swordfish' }

describe('configuration', () => {
  it('answers with typed values and defaults', () => {
    const values = configuration(schema)({
      ...enough,
      MILLHAND_HTTP_ADDR: '[::1]:0',
      MILLHAND_WORKERS: '',
      PATH: '/bin',
    })
    const http: Address = values.MILLHAND_HTTP_ADDR
    const level: 'debug' | 'info' = values.MILLHAND_LOG_LEVEL
    const workers: number = values.MILLHAND_WORKERS
    const models: string | undefined = values.MILLHAND_MODELS_DIR
    const key: Secret = values.MILLHAND_SECRET_KEY
    assert.deepEqual([http, level, workers, models], [{ host: '::1', port: 0 }, 'info', 2, undefined])
    assert.equal(key.reveal(), 'swordfish')
  })

  it('names every wrong variable at once', () => {
    const env = { MILLHAND_HTTP_ADDR: 'here', MILLHAND_WORKERS: '65', MILLHAND_HTTP_ADR: ':1', MILLHAND_ZEBRA: '1' }
    assert.throws(
      () => configuration(schema)(env),
      (error: ConfigurationError) => {
        assert.ok(error instanceof ConfigurationError)
        assert.deepEqual(error.faults, [
          'MILLHAND_HTTP_ADDR must be host:port, for example 127.0.0.1:8080 or [::1]:8080; it is "here".',
          'MILLHAND_WORKERS must be a whole number, at least 1 and at most 64; it is "65".',
          'MILLHAND_SECRET_KEY has to be set. Encrypts webhook secrets.',
          'MILLHAND_HTTP_ADR is not known. Did you mean MILLHAND_HTTP_ADDR?',
          'MILLHAND_ZEBRA is not known. docs/operating.md lists the settings.',
        ])
        assert.equal(error.message, ['The configuration is wrong:', ...error.faults].join('\n  '))
        return true
      },
    )
  })

  it('describes itself for the documentation', () => {
    assert.deepEqual(configuration(schema).describe()[0], {
      name: 'MILLHAND_HTTP_ADDR',
      default: '127.0.0.1:8080',
      required: false,
      form: 'host:port, for example 127.0.0.1:8080 or [::1]:8080',
      doc: 'Where REST is served.',
    })
    assert.deepEqual(
      configuration(schema)
        .describe()
        .map(({ name, required }) => [name, required]),
      [
        ['MILLHAND_HTTP_ADDR', false],
        ['MILLHAND_LOG_LEVEL', false],
        ['MILLHAND_WORKERS', false],
        ['MILLHAND_MODELS_DIR', false],
        ['MILLHAND_SECRET_KEY', true],
      ],
    )
  })

  it('does not print a secret, nor one that is wrong', () => {
    assert.throws(
      () => configuration({ MILLHAND_SECRET_KEY: secret('', { minLength: 32 }) })(enough),
      (error: ConfigurationError) => {
        assert.deepEqual(error.faults, ['MILLHAND_SECRET_KEY must be text of at least 32 characters.'])
        return true
      },
    )
    const values = configuration(schema)(enough)
    for (const printed of [String(values.MILLHAND_SECRET_KEY), JSON.stringify(values), inspect(values, { depth: 9 })]) {
      assert.doesNotMatch(printed, /swordfish/)
      assert.match(printed, /\[redacted\]/)
    }
  })
})

describe('settings', () => {
  const cases: [string, Setting<unknown>, string, unknown][] = [
    ['address', address(undefined, ''), 'db.example:27017', { host: 'db.example', port: 27017 }],
    ['address', address(undefined, ''), '[::1]:65535', { host: '::1', port: 65535 }],
    ['address', address(undefined, ''), '[::1]', undefined],
    ['address', address(undefined, ''), '::1:80', undefined],
    ['address', address(undefined, ''), '[zebra]:80', undefined],
    ['address', address(undefined, ''), 'host:65536', undefined],
    ['address', address(undefined, ''), ':80', undefined],
    ['text', text(undefined, ''), ' as it is ', ' as it is '],
    ['integer', integer(1, ''), '-3', -3],
    ['integer', integer(1, ''), '3.5', undefined],
    ['integer', integer(1, ''), '0x10', undefined],
    ['integer', integer(1, ''), '9007199254740993', undefined],
    ['integer', integer(1, '', { min: 0 }), '-1', undefined],
    ['duration', duration('1s', ''), '500ms', 500],
    ['duration', duration('1s', ''), '1.5s', 1_500],
    ['duration', duration('1s', ''), '5m', 300_000],
    ['duration', duration('1s', ''), '1h', 3_600_000],
    ['duration', duration('1s', ''), '30d', 2_592_000_000],
    ['duration', duration('1s', ''), '10', undefined],
    ['boolean', boolean(false, ''), 'true', true],
    ['boolean', boolean(true, ''), '0', false],
    ['boolean', boolean(true, ''), 'yes', undefined],
    ['oneOf', oneOf('a', '', ['a', 'b']), 'b', 'b'],
    ['oneOf', oneOf('a', '', ['a', 'b']), 'c', undefined],
    ['path', path('x', ''), 'models', resolve('models')],
    ['path', path('x', ''), 'a\0b', undefined],
    ['list', list([], ''), 'a, b,,c ', ['a', 'b', 'c']],
  ]
  for (const [kind, setting, written, value] of cases) {
    it(`${kind} ${value === undefined ? 'refuses' : 'reads'} ${JSON.stringify(written)}`, () => {
      assert.deepEqual(setting.read(written), value)
    })
  }

  it('read their own defaults', () => {
    assert.deepEqual(
      configuration({ A: duration('30s', ''), B: boolean(true, ''), C: list(['a', 'b'], ''), D: list([], '') })({}),
      { A: 30_000, B: true, C: ['a', 'b'], D: [] },
    )
  })
})
