/** Files for tests of tasks that have none. */
import type { Files } from './files/files.ts'

const refuse = async () => {
  throw new Error('this test has no files')
}

export const noFiles: Files = {
  upload: refuse,
  get: async () => undefined,
  getUsed: async () => undefined,
  read: refuse,
  remove: refuse,
  outputOf: refuse,
  keepOutput: refuse,
  sweep: refuse,
}
