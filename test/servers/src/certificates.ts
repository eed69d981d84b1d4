/** Certificates for one run of the tests, made with openssl. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing, printed } from './missing.ts'

/** Why tests with certificates skip: false where openssl makes them, and under CI, where nothing skips. */
export const opensslMissing: string | false = missing('needs OpenSSL 1.1.1 or later (Debian: openssl)', () =>
  /^OpenSSL (?:1\.1\.1|[3-9]|\d\d)/.test(printed('openssl', ['version'])),
)

/** PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM: the authority's own certificate. */
  readonly ca: string
  /** For names or addresses: who is called at 127.0.0.1 where none are given. One for `days` below 0 expired so long ago. */
  issue(hosts?: readonly string[], days?: number): Certificate
}

export function createAuthority(name = 'tests'): Authority {
  const ca = inFolder(folder => {
    const words = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem']
    openssl(folder, 'req', '-x509', ...elliptic, '-addext', 'keyUsage=keyCertSign', ...words)
    return { cert: read(folder, 'ca.pem'), key: read(folder, 'ca.key') }
  })
  return {
    ca: ca.cert,
    issue: (hosts = ['127.0.0.1'], days = 1) =>
      inFolder(folder => {
        const names = hosts.map(host => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`)
        writeFileSync(join(folder, 'ca.pem'), ca.cert)
        writeFileSync(join(folder, 'ca.key'), ca.key)
        writeFileSync(join(folder, 'extensions'), `subjectAltName=${names.join(',')}`)
        openssl(folder, 'req', ...elliptic, '-subj', '/CN=endpoint', '-keyout', 'key', '-out', 'request')
        const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions']
        openssl(folder, 'x509', '-req', '-in', 'request', ...by, '-days', String(days), '-out', 'cert')
        return { cert: read(folder, 'cert'), key: read(folder, 'key') }
      }),
  }
}

const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

const openssl = (cwd: string, ...words: string[]) => execFileSync('openssl', words, { cwd, stdio: 'pipe' })

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-certificates-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
