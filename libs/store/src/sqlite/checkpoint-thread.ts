/** The thread of `checkpointer.ts`: answers each message with whether a checkpoint went well. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const db = new DatabaseSync(workerData as string, { timeout: 1000 })
db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

parentPort?.on('message', () => {
  parentPort?.postMessage(passive())
})

/** A full disk is no reason to end: the log still has everything, and the next checkpoint tries again. */
function passive(): boolean {
  try {
    checkpoint.get()
    return true
  } catch {
    return false
  }
}
