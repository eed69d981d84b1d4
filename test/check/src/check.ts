/** `pnpm check`: all that CI checks. `--no-tests` leaves out the tests, for who runs them beside it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './execute.ts'
import { steps } from './steps.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

let failed = 0
for (const step of steps) {
  const began = performance.now()
  const { faults } = await step.run()
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  print(`${faults === '' ? 'ok    ' : 'FAILED'} ${step.name.padEnd(26)} ${seconds.padStart(5)} s`)
  if (faults !== '') failed++
  if (faults !== '') print(faults.replaceAll(/^/gm, '       '))
}
let passed = steps.length - failed
if (!process.argv.includes('--no-tests')) {
  if (await testsPass()) passed++
  else failed++
}
print(`checks: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs what `pnpm test` runs. */
async function testsPass(): Promise<boolean> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const env = { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) }
  const [code] = await once(spawn('sh', ['-c', scripts.test], { cwd: root, env, stdio: 'inherit' }), 'close')
  print(`${code === 0 ? 'ok    ' : 'FAILED'} tests`)
  return code === 0
}
