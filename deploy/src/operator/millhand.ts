/** `pnpm millhand`: accounts, keys and plans of a running deployment, for its operator. `docs/operating.md`. */
import { runOperator } from './run-operator.ts'

process.exitCode = await runOperator(
  process.argv.slice(2).filter((word, at) => !(at === 0 && word === '--')),
  process.env,
  { out: text => process.stdout.write(text), err: text => process.stderr.write(text) },
)
