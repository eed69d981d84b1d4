import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, firstIdAt } from '@millhand/api'
import {
  type GetInstanceRequest,
  type Instance,
  InstanceStatusSchema,
  type ListInstanceEventsRequest,
  type ListInstanceEventsResponse,
  type ListInstancesRequest,
  type ListInstancesResponse,
} from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage, settlesAfterMs } from '@millhand/store'
import { requireInstance } from '../instance.ts'
import type { InstanceDeps } from '../instance-deps.ts'
import { eventMessage, instanceMessage } from '../instance-message.ts'

export const getInstance =
  ({ instances, prices }: InstanceDeps) =>
  async ({ id }: GetInstanceRequest, call: HandlerContext): Promise<Instance> =>
    instanceMessage(await requireInstance(instances, principal(call).tenant, id), prices)

/** Newest first. */
export const listInstances =
  ({ instances, cursors, clock, prices }: InstanceDeps) =>
  async (req: ListInstancesRequest, call: HandlerContext): Promise<ListInstancesResponse> => {
    const asked = req.status && statusWords.get(req.status)
    const before = req.order === Order.ASC ? firstIdAt('inst', clock.now() - settlesAfterMs) : undefined
    const isFiltered = asked !== undefined || req.gpu !== undefined
    const { data, more } = await readPage({
      find: instances.find,
      tenant: principal(call).tenant,
      range: { after: undefined, before },
      passes: isFiltered ? ({ status, gpu }) => (asked ?? status) === status && (req.gpu ?? gpu) === gpu : undefined,
      list: ['instances', asked, req.gpu],
      cursors,
      request: req,
    })
    const shown = data.map(instance => instanceMessage(instance, prices))
    return { $typeName: 'millhand.instance.v1.ListInstancesResponse', data: shown, ...more }
  }

/** Oldest first. */
export const listInstanceEvents =
  ({ instances }: InstanceDeps) =>
  async ({ id }: ListInstanceEventsRequest, call: HandlerContext): Promise<ListInstanceEventsResponse> => {
    const instance = await requireInstance(instances, principal(call).tenant, id)
    const data = instance.history.map(entry => eventMessage(instance, entry))
    return { $typeName: 'millhand.instance.v1.ListInstanceEventsResponse', data, hasMore: false }
  }

const statusWords = enumWords(InstanceStatusSchema)
