/** Several deployments share the broker and the database server of a suite: each has a name of its own there. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/** Of its database; with a dot behind it, what its topics begin with. */
export const deploymentName = (dataDir: string): string =>
  `t${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 10)}`
