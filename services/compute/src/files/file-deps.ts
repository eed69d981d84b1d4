import type { Cursors } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import type { FileIndex, FileRecord } from './file.ts'
import type { Files } from './files.ts'

/** The dependencies of the methods of files. */
export interface FileDeps {
  readonly files: Files
  readonly collection: Collection<FileRecord, FileIndex>
  readonly cursors: Cursors
  readonly clock: Clock
}
