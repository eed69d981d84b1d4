/** The models that tasks train. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Catalogue, ModelPackage } from '@millhand/model'
import { packageOf } from '../models/model-package.ts'
import type { OwnModels } from '../models/own-models.ts'
import type { TaskModels } from '../models/task-models.ts'
import type { TaskRecord } from '../task.ts'

export type Parents = ReturnType<typeof createParents>

export function createParents({
  models,
  ownModels,
  taskModels,
}: {
  readonly models: Catalogue
  readonly ownModels: OwnModels
  readonly taskModels: Pick<TaskModels, 'read'>
}) {
  const included = (id: string) => {
    const model = models.get(id)
    return model?.status === 'ready' ? model : undefined
  }
  return {
    /** Undefined where it is not there any more. */
    async of({ tenant, group, own_model }: TaskRecord): Promise<ModelPackage | undefined> {
      if (own_model === undefined) return included(group)
      const stored = await ownModels.get(tenant, own_model)
      return stored && packageOf(stored)
    },

    /** The bytes of its file, also of one of the deployment. */
    async read(task: TaskRecord): Promise<Readable | undefined> {
      if (task.own_model !== undefined) return await taskModels.read(task)
      const path = included(task.group)?.files.model
      return path === undefined ? undefined : createReadStream(path)
    },
  }
}
