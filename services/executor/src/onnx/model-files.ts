/** How a process gets to the files of a model that it loads. */
import type { ChildProcess } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { KeyedMutex } from '@millhand/process'

/** A copy is one process's at a time, until that has read it: only the user of that process may read it. */
const copyLoads = new KeyedMutex()

/** Calls `load` with the paths of the files as the process reads them, which hold until that has resolved. */
export async function withModelFiles<R>(
  child: Pick<ChildProcess<never, unknown>, 'linkFile' | 'unlinkFile'>,
  { files, isCopy }: Pick<ModelPackage, 'files' | 'isCopy'>,
  load: (files: ModelPackage['files']) => Promise<R>,
): Promise<R> {
  if (!isCopy) return await load(files)
  return await copyLoads.runExclusive(Object.values(files).join(), async () => {
    const links = Object.entries(files).map(([name, path]) => [name, child.linkFile(path, `model-${name}`)] as const)
    try {
      return await load(Object.fromEntries(links))
    } finally {
      for (const [, path] of links) child.unlinkFile(path)
    }
  })
}
