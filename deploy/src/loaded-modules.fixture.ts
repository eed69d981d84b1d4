/** Writes the URLs of all modules that a process has loaded into a file, at its end, and the names of Node's own. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.once('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] }
  writeFileSync(process.env.LOADED_MODULES_FILE as string, [...loaded, ...moduleLoadList].join('\n'))
})
