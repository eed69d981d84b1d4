/** A copy of the working tree, in which what is changed is changed nowhere else. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Copies what git has or would take of the tree at `root`. */
export function copyTree(root: string, folder: string): void {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const parent of new Set(files.map(file => dirname(file)))) mkdirSync(join(folder, parent), { recursive: true })
  for (const file of files) if (existsSync(join(root, file))) copyFileSync(join(root, file), join(folder, file))
}

/**
 * Links what each package of the copy depends on, as the package manager would: packages of the workspace to those of the
 * copy, and others to what is installed at `root`.
 */
export function linkPackages(root: string, folder: string): void {
  const own = packagesOf(folder)
  const folders = new Map(own.map(({ name, path }) => [name, join(folder, path)]))
  const installed = (path: string, name: string) => [join(root, path, 'node_modules', name)].filter(existsSync)
  // A new package has what another one has.
  const anywhere = (name: string) => own.flatMap(({ path }) => installed(path, name))
  for (const { path, dependencies } of own) {
    const modules = join(folder, path, 'node_modules')
    rmSync(modules, { recursive: true, force: true })
    for (const name of dependencies) {
      const at = folders.get(name) ?? installed(path, name)[0] ?? anywhere(name)[0]
      if (at === undefined) continue // What is optional may be missing.
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(realpathSync(at), join(modules, name), 'dir')
    }
    const programs = join(root, path, 'node_modules/.bin')
    if (existsSync(programs)) symlinkSync(programs, join(modules, '.bin'), 'dir')
  }
}

function packagesOf(root: string) {
  const paths = globSync(
    '{.,deploy,gateway,proto,libs/*,services/*,services/workforce/employees,test/*}/package.json',
    {
      cwd: root,
    },
  )
  return paths.map(path => {
    const { name, ...all } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
    return { name, path: dirname(path), dependencies: kinds.flatMap(kind => Object.keys(all[kind] ?? {})) }
  })
}
