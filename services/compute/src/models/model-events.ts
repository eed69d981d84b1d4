/** The events of accounts' own models, ready for the log. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { ModelSchema } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { OutboxEvent } from '@millhand/store'
import { modeOf } from '@millhand/task'
import { listedModelMessage } from '../model-message.ts'
import type { StoredModel } from './model.ts'

export interface EventDeps {
  readonly ids: Ids
  /** Milliseconds since 1970. */
  readonly now: number
  readonly requestId: string | undefined
}

export const modelEvent = (
  type: 'model.created' | 'model.deleted',
  model: StoredModel,
  resourceVersion: number,
  { ids, now, requestId }: EventDeps,
): OutboxEvent =>
  publicEvent({
    topic: publicTopics.tasks.name,
    key: model.id,
    id: ids('evt'),
    type,
    time: now,
    accountId: model.account_id,
    mode: modeOf(model.tenant),
    resourceVersion,
    object: writeModel({ ...listedModelMessage(model), resourceVersion }),
    requestId,
  })

const writeModel = jsonWriter(ModelSchema)
