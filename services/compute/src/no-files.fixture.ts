/** Files for tests of tasks that have none. */
import type { Files } from './files/files.ts'
import type { OwnModels } from './models/own-models.ts'

const refuse = async () => {
  throw new Error('this test has no files')
}

export const noFiles: Files = {
  upload: refuse,
  requireRoom: async () => {},
  get: async () => undefined,
  getUsed: async () => undefined,
  read: refuse,
  remove: refuse,
  outputOf: refuse,
  keepOutput: refuse,
  sweep: refuse,
  batchHolds: { hold: refuse, keep: refuse, release: refuse, useOf: refuse, sweep: refuse },
  holdings: { take: refuse, leave: refuse, read: refuse },
}

export const noModels: OwnModels = {
  list: async () => [],
  get: async () => undefined,
  inspect: refuse,
  create: refuse,
  createTrained: refuse,
  requireRoom: async () => {},
  removeTrained: async () => {},
  remove: refuse,
}
