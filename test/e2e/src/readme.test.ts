import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { curlMissing } from '@millhand/test-servers'
import { blocks, faultsOf } from './documents.ts'
import { repository, type Server, startServer, temporaryFolder } from './server.ts'

const documents = [
  ...globSync('README.md', { cwd: repository }),
  ...globSync('docs/**/*.md', { cwd: repository }),
].sort()
const read = (document: string) => readFileSync(join(repository, document), 'utf8')

let server: Server
let folder: string
before(async () => {
  server = await startServer({ env: { MILLHAND_BOOTSTRAP_KEY: undefined, MILLHAND_BOOTSTRAP_TEST_KEY: undefined } })
  folder = asAfterTheFirstStart(server.dataDir)
})
after(() => server.stop())

// What a kind of work gives is the same on several processes, where `workforce-kinds` asks each of them for its example.
const isOneProcess = process.env.MILLHAND_TEST_START === undefined
// These need models that the tests of their names alone have: they run there.
const elsewhere = ['docs/text-generation.md', 'docs/training-text.md']
const shown = documents.filter(
  document => !elsewhere.includes(document) && (isOneProcess || !document.startsWith('docs/workforce/')),
)

const skip = curlMissing()
for (const document of shown)
  test(`what ${document} shows can be done, and answers as it says`, { skip }, async () => {
    const faults = await faultsOf(read(document), {
      folder,
      url: server.url,
      metrics: server.metrics,
      env: {
        MILLHAND_IDENTITY_URL: server.identity,
        ...(server.billing !== undefined && { MILLHAND_BILLING_URL: server.billing }),
      },
    })
    assert.deepEqual(faults, [])
  })

test('the README starts the server as these tests do', () => {
  assert.ok(existsSync(join(repository, 'README.md')), 'there is no README.md')
  const { scripts } = JSON.parse(read('package.json'))
  const starting = blocks(read('README.md')).filter(block => block.flags.includes('start'))
  assert.equal(starting.length, 1, 'one block of the README is marked `start`')
  assert.match(String(starting[0]?.code), /^npx -y pnpm@12 start$/m)
  assert.match(scripts.start, / deploy\/src\/start\.ts$/)
})

test('links between documents lead somewhere', () => {
  for (const document of documents)
    for (const [, target] of read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g))
      assert.ok(existsSync(join(repository, document, '..', String(target))), `${document}: ${target}`)
})

/** A folder like the repository in which the server was started by the README's own words: with `.millhand`. */
function asAfterTheFirstStart(dataDir: string): string {
  const folder = temporaryFolder('millhand-readme-')
  for (const name of readdirSync(repository))
    if (!name.startsWith('.')) symlinkSync(join(repository, name), join(folder, name))
  symlinkSync(dataDir, join(folder, '.millhand'))
  return folder
}
