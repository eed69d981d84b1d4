import { execFile } from 'node:child_process'
import { delimiter, join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/** Runs a command with the workspace's own tools first on PATH. */
export function execute(
  [program, ...words]: readonly string[],
  folder: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const cwd = join(root, folder)
  const tools = [cwd, root].map(place => join(place, 'node_modules/.bin'))
  const env = { ...process.env, PATH: [...tools, process.env.PATH].join(delimiter), NO_COLOR: '1' }
  return new Promise(done => {
    execFile(program as string, words, { cwd, env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      done({ code, output: (stdout + stderr).trim() || (error?.message ?? '') })
    })
  })
}
