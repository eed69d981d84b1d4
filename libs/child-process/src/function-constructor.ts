/**
 * Some libraries generate functions from strings while they load: Ajv for a schema, embind for its bindings. A child process
 * disallows that (`--disallow-code-generation-from-strings`). Until the first foreign byte comes, `Function` is replaced by
 * Node’s own compiler, `compileFunction`, which the flag does not affect.
 */
import { compileFunction } from 'node:vm'

const compile = compileFunction

/** `Function` works until the result is disposed of. No foreign code may run meanwhile. */
export function allowFunctionConstructor(): Disposable {
  const before = globalThis.Function
  const made = function made(...words: readonly unknown[]) {
    const parameters = words.slice(0, -1).flatMap(names => String(names).split(','))
    return compile(
      String(words.at(-1) ?? ''),
      parameters.map(name => name.trim()).filter(name => name !== ''),
    )
  }
  made.prototype = before.prototype
  globalThis.Function = made as unknown as FunctionConstructor
  return {
    [Symbol.dispose]() {
      globalThis.Function = before
    },
  }
}
