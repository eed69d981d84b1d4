import { Emitted_Verdict, type RunEmissions } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type { EmitRequest, EmitResponse } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { isRefusal, ownerUnavailable } from '@millhand/lease'
import { appendEmissions, isCounted } from '../stream/append-emissions.ts'
import { type ParsedEmissions, parseEmissions } from '../stream/emission.ts'
import { sequenceOf } from '../stream/sequence.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

type EmitDeps<T extends TaskBase> = Pick<TaskDeps<T>, 'tasks' | 'emissions' | 'clock' | 'watch' | 'replicas'>

/** Appends to the streams of runs. Where this fails, some may have been stored: the same is sent again. */
export const emit =
  <T extends TaskBase>(deps: EmitDeps<T>) =>
  async (req: EmitRequest): Promise<EmitResponse> => {
    const batches = req.runs.map(run => ({ run, ...parseEmissions(run) })) // All of it is sound, or nothing is done.
    const verdicts = await Promise.all(batches.map(each => emitOne(deps, each)))
    // The next owner's readers have not heard of it. They do when the same is sent to it.
    if (deps.replicas.owner() !== 'here') throw ownerUnavailable()
    return {
      $typeName: 'millhand.lease.v1.EmitResponse',
      runs: verdicts.map(verdict => ({ $typeName: 'millhand.lease.v1.Emitted', verdict })),
    }
  }

/** Stores the batch, then counts it: it is part of the stream from then on. */
async function emitOne<T extends TaskBase>(
  deps: EmitDeps<T>,
  { run, emissions, batch }: { readonly run: RunEmissions } & ParsedEmissions,
): Promise<Emitted_Verdict> {
  const { tasks, emissions: stored, clock, watch } = deps
  const held = { lease_id: run.leaseId, attempt: run.attempt }

  const task = await tasks.get(run.tenant, run.workId)
  if (!task) return Emitted_Verdict.REFUSED
  const counted = appendEmissions(task, held, batch)
  if (isRefusal(counted)) {
    if (counted.refused === 'counted') watch.changed(task) // The process that counted it may not be here to tell.
    return verdictOf(counted.refused)
  }

  const first = sequenceOf(task.resource_version, batch.from + 1)
  const isNew = await stored.add(task, first, clock.now(), emissions)
  const result = await tasks.change(task.tenant, task.id, { kind: 'emitted', held, batch })
  if (result.kind === 'changed') return Emitted_Verdict.STORED
  if (result.kind === 'refused' && isCounted(result.current, task.resource_version, batch)) {
    // The same was sent again and counted while this stood still; the run may have ended since.
    watch.changed(result.current)
    return Emitted_Verdict.STORED
  }
  // Its data may have been removed already, before this came.
  if (isNew) await stored.discard(task, first, batch.count)
  return verdictOf(result.kind === 'refused' ? result.reason : 'stale_lease')
}

function verdictOf(refused: string): Emitted_Verdict {
  switch (refused) {
    case 'counted':
      return Emitted_Verdict.STORED
    case 'full':
      return Emitted_Verdict.FULL
    default:
      return Emitted_Verdict.REFUSED
  }
}
