/** The process of code that nobody has read: it does one thing, and is ended. It holds no secret, and reaches nothing. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
// By its real path: the link to a package of ours leads on to all of them, and may not be read here.
import {
  endIfOutOfMemory,
  lockDown,
  lockLoaded,
  openChannel,
  startWatchdog,
} from '../../../../../libs/child-process/src/child.ts'

startWatchdog()
const say = openChannel<{ readonly folder: string; readonly work: string }, object>(message => void hear(message))
lockDown()

async function hear({ folder, work }: { readonly folder: string; readonly work: string }): Promise<void> {
  try {
    const { isolated } = await import(pathToFileURL(join(folder, 'isolated.ts')).href)
    lockLoaded()
    say({}, [JSON.stringify(await isolated(JSON.parse(work)))])
  } catch (error) {
    endIfOutOfMemory(error)
    throw error
  }
}
