/** Files of tests that run in one process: each bundle is a file that the test runner starts as if it were one of tests. */
import { AsyncResource } from 'node:async_hooks'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import fc from 'fast-check'
import { type Home, homeOf, root, testFiles } from './test-files.ts'

interface Bundle {
  /** Its file below `bundles/`. */
  readonly name: string
  readonly files: RegExp
  readonly home: Exclude<Home, 'own'>
}

/** The longest first: a run starts them in this order. */
const bundles: readonly Bundle[] = [
  // Thirds of about the same time, by the first letter.
  { name: 'visitors-a-c', files: /^test\/e2e\/src\/[a-c]/, home: 'visitor' },
  { name: 'visitors-d-k', files: /^test\/e2e\/src\/[d-k]/, home: 'visitor' },
  { name: 'visitors-l-z', files: /^test\/e2e\/src\/[l-z]/, home: 'visitor' },
  { name: 'services', files: /^services\/(?!workforce\/employees\/)/, home: 'shared' },
  { name: 'libs', files: /^libs\//, home: 'shared' },
  { name: 'employees-alex-david', files: /^services\/workforce\/employees\/(alex|david)\//, home: 'shared' },
  { name: 'employees-others', files: /^services\/workforce\/employees\/(?!alex|david)/, home: 'shared' },
  { name: 'servers', files: /^/, home: 'servers' },
  { name: 'others', files: /^(gateway|deploy|test)\//, home: 'shared' },
]

/** The files of tests of a bundle, below the root. */
export function filesOf(name: string): string[] {
  const bundle = bundles.find(each => each.name === name)
  if (bundle === undefined) throw new Error(`there is no bundle ${name}`)
  return testFiles().filter(file => bundle.files.test(file) && homeOf(file) === bundle.home)
}

/** The bundles that hold something, as files below the root. */
export const bundleFiles = (): string[] =>
  bundles.filter(({ name }) => filesOf(name).length > 0).map(({ name }) => `test/suite/src/bundles/${name}.ts`)

/** Registers the tests of a bundle in this process. `end` is called behind the hooks of its last file. */
export function importTests(name: string, end: () => unknown = () => {}): void {
  const files = filesOf(name)
  const { MILLHAND_SEED, TEST_PART } = process.env
  const seed = MILLHAND_SEED ?? TEST_PART
  // The runs of a commit are alike: where it is green once, no dice make it red.
  if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) | 0 })
  // A test that waits for nothing but a timer without a hold would end the process, and all tests behind it.
  const hold = setInterval(() => {}, 60_000)
  let left = files.length
  const over = async () => {
    if (--left > 0) return
    clearInterval(hold)
    await end()
  }
  let before: Promise<unknown> = Promise.resolve()
  // A suite, so that its hooks are for its own tests. The runner's hooks for the whole process do not always run.
  for (const file of files)
    describe(file, () => {
      // The runner finds the suite of a test by the asynchronous context that registers it.
      const load = AsyncResource.bind(async () => {
        try {
          await import(join(root, file))
        } catch (error) {
          await over()
          throw error
        }
        after(over)
      })
      // In turn: of files that wait for the same module at once, only one would keep its context.
      const loading = before.then(load)
      before = loading.catch(() => {})
      return loading
    })
}
