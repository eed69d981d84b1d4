import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Resolves once what nobody holds is gone from memory, so that a WeakRef tells. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  for (let turn = 0; turn < 5; turn++) {
    await nextTurn()
    collect()
  }
}
