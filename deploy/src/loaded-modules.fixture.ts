/** Writes the URLs of all modules that a process has loaded into a file, at its end. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.once('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE as string, loaded.join('\n')))
