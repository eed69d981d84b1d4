import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'

const cache = new URL('resolution-cache.ts', import.meta.url).href

/** Starts an entry that imports a file, a package of the repository and one that is installed; which were asked of Node? */
const main = `
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { cacheResolutions, writeResolutions } from ${JSON.stringify(cache)}
const asked = []
registerHooks({
  resolve(specifier, context, next) {
    asked.push(specifier)
    return next(specifier, context)
  },
})
const root = import.meta.dirname
cacheResolutions({ root, file: join(root, 'cache/resolutions.json') })
const { said } = await import('./entry.ts')
writeResolutions()
console.log(JSON.stringify({ said, asked: asked.filter(specifier => !specifier.startsWith('node:')) }))
`

function project() {
  const root = mkdtempSync(join(tmpdir(), 'millhand-resolutions-'))
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
  const exportsOf = (path: string) =>
    write('libs/words/package.json', JSON.stringify({ name: 'words', type: 'module', exports: path }))
  const install = (version: string) => {
    const folder = `node_modules/.pnpm/dep@${version}/node_modules/dep`
    write(`${folder}/package.json`, JSON.stringify({ name: 'dep', version, main: 'index.js' }))
    write(`${folder}/index.js`, `exports.version = ${JSON.stringify(version)}\n`)
    link('node_modules/dep', join(root, folder))
    write('node_modules/.pnpm/lock.yaml', `dep: ${version}\n# ${'x'.repeat(Number.parseInt(version, 10))}\n`)
  }
  write('package.json', JSON.stringify({ type: 'module' }))
  write('main.ts', main)
  write('entry.ts', "import dep from 'dep'\nimport { word } from 'words'\nexport const said = [dep.version, word]\n")
  write('libs/words/src/one.ts', "export const word: string = 'one'\n")
  write('libs/words/src/another.ts', "export const word: string = 'another'\n")
  exportsOf('./src/one.ts')
  link('node_modules/words', join(root, 'libs/words'))
  install('1')
  const start = (): { said: string[]; asked: string[] } =>
    JSON.parse(execFileSync(process.execPath, [join(root, 'main.ts')], { encoding: 'utf8', stdio: 'pipe' }))
  return { root, write, exportsOf, install, start, kept: join(root, 'cache/resolutions.json') }
}

const all = ['./entry.ts', 'dep', 'words']

describe('the cache of resolutions', () => {
  it('asks Node for nothing that an earlier start has found', () => {
    const { start } = project()
    assert.deepEqual(start(), { said: ['1', 'one'], asked: all })
    assert.deepEqual(start(), { said: ['1', 'one'], asked: [] })
  })

  it('asks for what is imported since, and keeps it beside the rest', () => {
    const { start, write } = project()
    start()
    write(
      'entry.ts',
      "import dep from 'dep'\nimport { word } from './libs/words/src/another.ts'\nexport const said = [dep.version, word]\n",
    )
    assert.deepEqual(start(), { said: ['1', 'another'], asked: ['./libs/words/src/another.ts'] })
    assert.deepEqual(start().asked, [])
  })

  it('holds no longer when a package of the repository exports something else', () => {
    const { start, exportsOf } = project()
    start()
    exportsOf('./src/another.ts')
    assert.deepEqual(start(), { said: ['1', 'another'], asked: all })
  })

  it('holds no longer when something else is installed', () => {
    const { start, install } = project()
    start()
    install('22')
    assert.deepEqual(start(), { said: ['22', 'one'], asked: all })
  })

  it('holds for the version of Node that it was made with', () => {
    const { start, kept } = project()
    start()
    writeFileSync(kept, readFileSync(kept, 'utf8').replace(process.version, 'v1.0.0'))
    assert.deepEqual(start().asked, all)
  })

  for (const broken of ['{', 'null', '{"node":"v1"}'])
    it(`starts all the same where the file is ${JSON.stringify(broken)}`, () => {
      const { start, write } = project()
      write('cache/resolutions.json', broken)
      assert.deepEqual(start(), { said: ['1', 'one'], asked: all })
      assert.deepEqual(start().asked, [])
    })

  it('starts all the same where nothing can be written', () => {
    const { start, write } = project()
    // A file in the place of the folder: root may write everywhere else.
    write('cache', '')
    assert.deepEqual(start(), { said: ['1', 'one'], asked: all })
  })

  it('takes no name of every object for an import', () => {
    const { start, write } = project()
    write('node_modules/constructor/package.json', '{"name":"constructor","main":"index.js"}')
    write('node_modules/constructor/index.js', "exports.version = 'found'\n")
    start()
    write('entry.ts', "import dep from 'constructor'\nexport const said = [dep.version]\n")
    assert.deepEqual(start(), { said: ['found'], asked: ['constructor'] })
  })
})
