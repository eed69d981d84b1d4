/** A repository of git with two files: `beforeEach(makeTree)` and `afterEach(removeTree)`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Holds the repository of a test, and whatever else it makes. */
export let top = ''

export let folder = ''

/** Where git is called and files are written from now on. */
export const enter = (path: string): void => {
  folder = path
}

const env = () => ({
  PATH: process.env.PATH,
  HOME: top,
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap(who => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.com'],
      [`GIT_${who}_DATE`, '2026-01-01T00:00:00Z'],
    ]),
  ),
})

export const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: folder,
    env: env(),
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString()

export function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

export function commit(message = 'A change'): void {
  git('add', '-A')
  git('commit', '-q', '-m', message)
}

export function makeTree(): void {
  top = mkdtempSync(join(tmpdir(), 'git-forms-'))
  enter(mkdtempSync(join(top, 'tree-')))
  git('init', '-q', '-b', 'main')
  write('src/app.py', lines())
  write('tool.py', 'x = 1\n')
  commit('The start')
}

export const removeTree = (): void => rmSync(top, { recursive: true })

/** Twelve assignments, with changes by the number of the line. */
export const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, at) => `${changed[at + 1] ?? `value_${at + 1} = ${at + 1}`}\n`).join('')
