/** Models that come with the runs that are lent, because executors do not know them: accounts' own. */

import { codeOf } from '@millhand/api'
import type { Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { type ModelPackage, parseManifest } from '@millhand/model'
import { type HeldLease, runFields } from './lease.ts'
import { ModelCopies, type ModelCopiesOptions, ModelDamaged } from './model-copies.ts'
import { isAway } from './retry-while-unavailable.ts'
import type { Hold } from './warm-process.ts'

export interface LeasedModels<L> {
  /** What a run is lent with; undefined where it comes with none. */
  of(run: Run): L | undefined
  /**
   * Has what it is loaded from there until the function that this resolves with is called. Rejects with `LoadFailed`
   * where it is gone, with `RunnerGone` where this machine can't keep it (`not_started`), and where no lease needs it any
   * more (`killed`). Where nobody can give it now, `stop` of every lease says so, and the run is given back.
   */
  hold(run: Run, held: readonly HeldLease[]): Hold
}

/** Of what runs models: each from a copy of its file. */
export function copiedModels(options: ModelCopiesOptions): LeasedModels<ModelPackage> & { close(): void } {
  const copies = new ModelCopies(options)
  return {
    of({ group, model, leases }) {
      const tenant = leases[0]?.tenant
      return model && tenant !== undefined
        ? packageOf(group, model, { model: copies.pathOf(model, tenant) })
        : undefined
    },
    hold:
      ({ model }, held) =>
      async signal => {
        for (;;) {
          const one = held.find(({ stop }) => stop === undefined)
          if (!model) return () => {}
          if (!one) throw notWanted()
          try {
            return await copies.hold(model, one.lease, signal)
          } catch (error) {
            if (signal.aborted) throw notWanted()
            if (error instanceof ModelDamaged)
              throw new LoadFailed('model_broken', 'The model is damaged in the store.')
            if (codeOf(error) === 'not_found') throw new LoadFailed('model_broken', 'The model is not there any more.')
            options.log.warn('model.not_copied', { ...runFields(one.lease), error })
            if (codeOf(error) === 'conflict') one.stop ??= 'lost'
            else if (isAway(error)) for (const each of held) each.stop ??= 'model_away'
            else throw new RunnerGone('not_started', 'the copy of the model could not be made', { cause: error })
          }
        }
      },
    close: () => copies.close(),
  }
}

const notWanted = () => new RunnerGone('killed', 'the run was stopped before its model was there')

/** Of the sandbox, which loads nothing. */
export const describedModels: LeasedModels<ModelPackage> = {
  of: ({ group, model }) => model && packageOf(group, model, {}),
  hold: () => async () => () => {},
}

function packageOf(
  group: string,
  { digest, manifest: text }: NonNullable<Run['model']>,
  files: ModelPackage['files'],
): ModelPackage {
  const manifest = parseManifest(text)
  return {
    status: 'ready',
    id: group,
    ownedBy: '',
    manifest,
    files,
    isCopy: true,
    inputs: manifest.inputs ?? [],
    outputs: manifest.outputs ?? [],
    outputSchema: '',
    exampleInput: undefined,
    version: digest,
    createdAt: new Date(0),
  }
}
