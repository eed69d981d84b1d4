import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'

const cache = new URL('resolution-cache.ts', import.meta.url).href

/** Starts an entry that imports a file, a package of the repository and an installed one; prints what Node resolved. */
const main = `
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { cacheResolutions, writeResolutions } from ${JSON.stringify(cache)}
const resolved = []
registerHooks({
  resolve(specifier, context, next) {
    resolved.push(specifier)
    return next(specifier, context)
  },
})
const root = import.meta.dirname
cacheResolutions({ root, file: join(root, 'cache/resolutions.json') })
const { words } = await import('./entry.ts')
writeResolutions()
console.log(JSON.stringify({ words, resolved: resolved.filter(specifier => !specifier.startsWith('node:')) }))
`

/** Its name has what URLs escape. */
function project() {
  const root = mkdtempSync(join(tmpdir(), 'millhand resolutions 100%25 ü #q-'))
  after(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const link = (path: string, to: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    rmSync(join(root, path), { force: true })
    symlinkSync(to, join(root, path))
  }
  const exportFrom = (path: string) =>
    write('libs/words/package.json', JSON.stringify({ name: 'words', type: 'module', exports: path }))
  const install = (version: string) => {
    const folder = `node_modules/.pnpm/dep@${version}/node_modules/dep`
    write(`${folder}/package.json`, JSON.stringify({ name: 'dep', version, main: 'index.js' }))
    write(`${folder}/index.js`, `exports.version = ${JSON.stringify(version)}\n`)
    link('node_modules/dep', join(root, folder))
    write('node_modules/.pnpm/lock.yaml', `dep: ${version}\n`)
  }
  write('package.json', JSON.stringify({ type: 'module' }))
  write('main.ts', main)
  write('entry.ts', "import dep from 'dep'\nimport { word } from 'words'\nexport const words = [dep.version, word]\n")
  write('libs/words/src/one.ts', "export const word: string = 'one'\n")
  write('libs/words/src/another.ts', "export const word: string = 'another'\n")
  exportFrom('./src/one.ts')
  link('node_modules/words', join(root, 'libs/words'))
  install('1')
  const start = (...options: string[]): { words: string[]; resolved: string[] } =>
    JSON.parse(execFileSync(process.execPath, [...options, join(root, 'main.ts')], { encoding: 'utf8', stdio: 'pipe' }))
  return { root, write, exportFrom, install, start }
}

const all = ['./entry.ts', 'dep', 'words']

describe('the cache of resolutions', () => {
  it('answers all imports that an earlier start has resolved', () => {
    const { start } = project()
    assert.deepEqual(start(), { words: ['1', 'one'], resolved: all })
    assert.deepEqual(start(), { words: ['1', 'one'], resolved: [] })
  })

  it('takes new imports up, with data and with a query too', () => {
    const { start, write } = project()
    start()
    write('data.json', '["data"]')
    write(
      'entry.ts',
      `import { word } from './libs/words/src/another.ts?p=100%'
      import data from './data.json' with { type: 'json' }
      export const words = [word, ...data]`,
    )
    const resolved = ['./libs/words/src/another.ts?p=100%', './data.json']
    assert.deepEqual(start(), { words: ['another', 'data'], resolved })
    assert.deepEqual(start(), { words: ['another', 'data'], resolved: [] })
  })

  it('is discarded when a package of the repository exports something else', () => {
    const { start, exportFrom } = project()
    start()
    exportFrom('./src/another.ts')
    assert.deepEqual(start(), { words: ['1', 'another'], resolved: all })
  })

  it('is discarded when something else is installed', () => {
    const { start, install } = project()
    start()
    install('22')
    assert.deepEqual(start(), { words: ['22', 'one'], resolved: all })
  })

  it('is not used without a list of what is installed, nor beside other code that resolves', () => {
    const { start, root } = project()
    start()
    assert.deepEqual(start('--import', 'data:text/javascript,'), { words: ['1', 'one'], resolved: all })
    assert.deepEqual(start('--conditions=other').resolved, all)
    rmSync(join(root, 'node_modules/.pnpm/lock.yaml'))
    assert.deepEqual(start().resolved, all)
  })

  it('is made anew where its file is broken', () => {
    const { start, write } = project()
    for (const broken of ['{', 'null', '{"dependencies":{},"imports":{"main.ts":{"./entry.ts":7}}}']) {
      write('cache/resolutions.json', broken)
      assert.deepEqual(start(), { words: ['1', 'one'], resolved: all }, broken)
    }
    assert.deepEqual(start().resolved, [])
  })

  it('is done without where nothing can be written', () => {
    const { start, write } = project()
    // A file in the place of the folder: root may write everywhere else.
    write('cache', '')
    assert.deepEqual(start(), { words: ['1', 'one'], resolved: all })
  })

  it('has no import that only its name makes', () => {
    const { start, write } = project()
    write('node_modules/constructor/package.json', '{"name":"constructor","main":"index.js"}')
    write('node_modules/constructor/index.js', "exports.version = 'found'\n")
    start()
    write('entry.ts', "import dep from 'constructor'\nexport const words = [dep.version]\n")
    assert.deepEqual(start(), { words: ['found'], resolved: ['constructor'] })
  })
})
