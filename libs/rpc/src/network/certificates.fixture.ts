/** Certificates for one run of the tests, made with openssl. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why tests with certificates skip: false where openssl is there, and under CI, where nothing skips. */
export const opensslMissing: string | false = missing()

function missing(): string | false {
  if (process.env.CI === 'true') return false
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'needs openssl, to make certificates'
  }
}

/** PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM: the authority's own certificate. */
  readonly ca: string
  /** For who is called at 127.0.0.1, or calls from there. */
  issue(name: string): Certificate
}

export function createAuthority(name: string): Authority {
  const ca = inFolder(folder => {
    const words = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem']
    openssl(folder, 'req', '-x509', ...elliptic, '-addext', 'keyUsage=keyCertSign', ...words)
    return { cert: read(folder, 'ca.pem'), key: read(folder, 'ca.key') }
  })
  return {
    ca: ca.cert,
    issue: name =>
      inFolder(folder => {
        writeFileSync(join(folder, 'ca.pem'), ca.cert)
        writeFileSync(join(folder, 'ca.key'), ca.key)
        writeFileSync(join(folder, 'extensions'), 'subjectAltName=IP:127.0.0.1')
        openssl(folder, 'req', ...elliptic, '-subj', `/CN=${name}`, '-keyout', 'key', '-out', 'request')
        const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'extensions']
        openssl(folder, 'x509', '-req', '-in', 'request', ...by, '-out', 'cert')
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
