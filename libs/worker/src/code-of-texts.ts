/**
 * Some libraries make functions of texts while they load: Ajv for a schema, embind for its bindings. A child process refuses
 * that to everything (`--disallow-code-generation-from-strings`); until the first foreign byte comes, `Function` is another
 * compiler of Node's, which the flag does not touch.
 */
import { compileFunction } from 'node:vm'

const compile = compileFunction

/** `Function` makes functions until the result is disposed of. Nothing foreign may run meanwhile. */
export function codeOfTexts(): Disposable {
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
