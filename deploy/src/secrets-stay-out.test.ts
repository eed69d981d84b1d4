/** What the documentation has an operator write down is a secret: neither the image nor the repository gets it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { filesOf, holding, imageContext } from './image-context.fixture.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isSent = imageContext(readFileSync(join(root, '.dockerignore'), 'utf8'))
/** In whatever is secret here. */
const SECRET = 'swordfish-0123456789'

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'core.excludesFile=/dev/null', ...words], { cwd: folder, encoding: 'utf8' })
    .split('\0')
    .filter(path => path !== '')

function gitMissing(): string | false {
  if (process.env.CI === 'true') return false
  try {
    git(root, 'ls-files', '-z', 'package.json')
    return false
  } catch {
    return 'needs Git and a clone (Debian: apt-get install git)'
  }
}

/** A checkout with the folders of this one, and a data folder that was in use. */
function checkout(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-checkout-'))
  t.after(() => rmSync(folder, { recursive: true }))
  git(folder, 'init', '-q')
  for (const name of ['.gitignore', '.dockerignore']) copyFileSync(join(root, name), join(folder, name))
  for (const path of ['deploy/src/serve.ts', 'libs/api/src/index.ts']) write(folder, path, 'export {}')
  for (const name of ['secret-key', 'bootstrap-keys.json', 'millhand.db', 'blobs/a']) {
    write(folder, `.millhand/${name}`, SECRET)
  }
  return folder
}

function write(folder: string, path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Files with a secret that an image built of the folder would have, or the next commit. */
function leaks(folder: string): string[] {
  const secrets = holding(folder, filesOf(folder), SECRET)
  git(folder, 'add', '-A')
  const committed = new Set(git(folder, 'ls-files', '-z'))
  return secrets.filter(path => isSent(path) || committed.has(path))
}

/** Blocks of commands that write credentials, keys, or copies of a data folder into files. */
function commands(): { readonly page: string; readonly block: string }[] {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map(name => `docs/${name}`)]
  const all = pages
    .filter(page => page.endsWith('.md'))
    .flatMap(page => {
      const text = readFileSync(join(root, page), 'utf8')
      return [...text.matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)].map(([, block = '']) => ({ page, block }))
    })
  return all.filter(({ block }) => WRITES.test(block))
}

const WRITES = /serve (credentials|compose-secrets).* > |(cp|mv|>) .*(secret-key|bootstrap-keys)/

/** Stand for programs: each prints a secret, and writes it where it is told to. */
const PROGRAMS = `
npx() { echo "MILLHAND_SECRET_KEY=${SECRET}"; }
openssl() { echo ${SECRET}; }
docker() { :; }
sqlite3() { echo ${SECRET} > "$(sed "s/^[^']*'//; s/'$//" <<< "$2")"; }
`

test('the documented commands write no secret into the image or the repository', { skip: gitMissing() }, t => {
  const found = commands()
  assert.ok(found.length >= 4, 'README.md, and docs/many-machines.md and docs/operating.md, have such commands')
  const folder = checkout(t)
  const home = mkdtempSync(join(tmpdir(), 'millhand-home-'))
  t.after(() => rmSync(home, { recursive: true }))
  const written = () => [folder, home].flatMap(each => holding(each, filesOf(each), SECRET)).length
  const before = written()
  for (const { page, block } of found) {
    const env = { PATH: process.env.PATH, HOME: home }
    execFileSync('bash', ['-euc', `${PROGRAMS}\n${block}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    assert.deepEqual(leaks(folder), [], `${page}:\n${block}`)
  }
  assert.ok(written() - before >= 13, 'credentials of eight holders, deploy/.env, and the four parts of a backup')
})

test('files that usually hold secrets stay out, wherever somebody puts them', { skip: gitMissing() }, t => {
  const folder = checkout(t)
  const names = ['gateway.env', '.env', '.env.local', 'secret-key', 'bootstrap-keys.json', 'millhand.db', 'tls.key']
  const files = [...names, 'millhand.db-wal', 'ca.pem', 'operator.properties', 'backup/secret-key', 'backup/blobs/a']
  for (const at of ['.', 'deploy', 'deploy/src', 'libs/api/src', 'services/identity', 'backup', 'docs']) {
    for (const name of files) write(folder, `${at}/${name}`, SECRET)
  }
  assert.deepEqual(leaks(folder), [])
  // Whatever its name is, beside what is built and not within it.
  const others = [
    'passwords.txt',
    'deploy/passwords.txt',
    'data/a',
    'deploy/data/a',
    'services/identity/passwords.json',
  ]
  assert.deepEqual(others.filter(isSent), [])
})

test('what runs is in the image', { skip: gitMissing() }, () => {
  const tracked = git(root, 'ls-files', '-z', 'deploy', 'gateway', 'libs', 'services', 'patches')
  // What makes optional models runs outside, and its models are a folder beside the image. Prometheus and Grafana have images of their own.
  const apart = /^(gateway\/test|deploy\/optional-models|deploy\/(prometheus|grafana))\//
  const left = tracked.filter(path => !isSent(path) && !apart.test(path))
  assert.deepEqual(left.sort(), [
    'deploy/Dockerfile',
    'deploy/compose.yaml',
    'deploy/kubernetes/instance.yaml',
    'deploy/mongo-user.js',
  ])
  const needed = git(root, 'ls-files', '-z', '*package.json', 'pnpm-*.yaml', '.npmrc')
  assert.deepEqual(
    needed.filter(path => !isSent(path) && path !== 'proto/package.json'),
    [],
  )
})
