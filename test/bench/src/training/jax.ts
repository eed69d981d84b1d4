/** JAX in a process of its own: the same networks, to compare gradients and steps with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Jax extends AsyncDisposable {
  readonly version: string
  /** Sends one line of JSON and resolves with the answer. */
  ask(question: unknown): Promise<unknown>
}

/** Undefined where the Python that `BENCH_PYTHON` names (default `python3`) has no JAX. */
export async function openJax(): Promise<Jax | undefined> {
  const script = fileURLToPath(new URL('jax_model.py', import.meta.url))
  const child = spawn(process.env.BENCH_PYTHON ?? 'python3', [script], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  child.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value: version, done } = await lines.next()
  if (done) return undefined
  return {
    version,
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`)
      const answer = await lines.next()
      if (answer.done) throw new Error(`JAX ended: ${said}`)
      return JSON.parse(answer.value)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.stdin.end()
      await closed
    },
  }
}
