/** The libraries of Standard Webhooks, in three languages, take our signatures and refuse what was changed. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { goMissing, python, pythonMissing } from '@millhand/test-servers'
import { Webhook } from 'standardwebhooks'
import { newSecret, shownSecret, signingKey } from '../secret/secret.ts'
import { signatureHeader } from './webhook-signature.ts'

const folder = mkdtempSync(join(tmpdir(), 'millhand-verifiers-'))
after(() => rmSync(folder, { recursive: true }))
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

interface Case {
  readonly name: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isGood: boolean
}

/** As every kind of character comes in a body: JSON.stringify escapes lone surrogates, and nothing else of these. */
const texts = {
  ASCII: 'seven',
  'controls and quotes': '"\\/\b\f\n\r\t\u0000\u001f\u007f',
  'Latin, combining, and both ways': 'naïve nai\u0308ve \u202eevian\u202c אבג \u200f',
  'every plane': '\u07ff\u0800\uffff\ufffe\ufeff𐀀💛👩‍👩‍👧‍👦\u{10ffff}',
  'separators of lines': '\u0085\u2028\u2029\u00a0\u3000',
  'lone surrogates': '\ud800 \udfff',
  'a long one': '数'.repeat(60_000),
} as const

function casesOf(signature: 'v1' | 'v1a'): Case[] {
  const id = 'evt_01kaje5z1cf6tvnyxkkhbm3v8h'
  const now = Math.floor(Date.now() / 1_000)
  return Object.entries(texts).flatMap(([name, text]) => {
    const signer = newSecret(signature)
    const secret = shownSecret(signer)
    const body = JSON.stringify({ type: 'task.succeeded', data: { object: { output: text } } })
    const headersAt = (at: number) => ({
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': signatureHeader([signingKey(signer)], { id, body }, at),
    })
    const good: Case = { name, secret, headers: headersAt(now), body, isGood: true }
    const bad = (what: string, changed: Partial<Case>): Case => ({
      ...good,
      ...changed,
      name: `${name}, ${what}`,
      isGood: false,
    })
    return [
      good,
      bad('a byte changed', { body: body.replace('task', 'tasK') }),
      bad('another secret', { secret: shownSecret(newSecret(signature)) }),
      bad('another id', { headers: { ...headersAt(now), 'webhook-id': `${id.slice(0, -1)}j` } }),
      bad('another time', { headers: { ...headersAt(now), 'webhook-timestamp': String(now - 1) } }),
      // How old one may be is for whoever verifies by hand to say.
      ...(signature === 'v1' ? [bad('an old time', { headers: headersAt(now - 301) })] : []),
    ]
  })
}

const v1 = casesOf('v1')

describe('signatures', () => {
  it('are taken by standardwebhooks from npm', () => {
    const isGood = ({ secret, headers, body }: Case) => {
      try {
        return Boolean(new Webhook(secret).verify(body, { ...headers }))
      } catch {
        return false
      }
    }
    for (const each of v1) assert.equal(isGood(each), each.isGood, each.name)
  })

  it('are taken by standardwebhooks from PyPI', { skip: pythonMissing('standardwebhooks') }, () => {
    judged(v1, python, [fixture('verify.py')])
  })

  it('are taken by the Go library, and by crypto/ed25519', { skip: goMissing }, () => {
    const program = join(folder, 'verify')
    execFileSync('go', ['build', '-o', program, '.'], { cwd: fixture('.'), stdio: ['ignore', 'ignore', 'pipe'] })
    judged([...v1, ...casesOf('v1a')], program, [])
  })
})

/** The program says of each what we say. */
function judged(cases: readonly Case[], program: string, words: readonly string[]): void {
  const input = cases.map(each => `${JSON.stringify(each)}\n`).join('')
  const said = execFileSync(program, words, { input, encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(
    cases.map(({ name }, at) => [name, said[at]]),
    cases.map(({ name, isGood }) => [name, String(isGood)]),
  )
}
