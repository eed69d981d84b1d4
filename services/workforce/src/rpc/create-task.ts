import type { HandlerContext } from '@connectrpc/connect'
import { codeOf, type Fault, failIf, type Id, readSandboxInput, type SandboxInput } from '@millhand/api'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'
import {
  type CreateWorkforceTaskRequest,
  EngineChoice,
  type WorkforceTask,
} from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { idOf, principal } from '@millhand/rpc'
import { addTask, callbackFaults, failAsInstructed, findExistingTask, newTaskFields, showTask } from '@millhand/task'
import { attachedFiles } from '../attached-files.ts'
import { briefOf, briefText } from '../brief.ts'
import type { PublicKind } from '../employee.ts'
import { requireKnown } from '../employees.ts'
import { chooseEngine, engineFaults, requirePrices } from '../engine-choice.ts'
import { requiredInputFaults } from '../required-inputs.ts'
import type { AttachedFile, TaskRecord } from '../task.ts'
import { workforceTask } from '../task-kind.ts'
import { toMessage } from '../task-message.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'

/**
 * Creates a task: everything that stands against it is told at once, then it takes its place in the day's quota, then it
 * is stored. It is durable before this answers; a second call of the same operation answers with what it made.
 */
export const createTask =
  (deps: WorkforceDeps) =>
  async (req: CreateWorkforceTaskRequest, call: HandlerContext): Promise<WorkforceTask> => {
    const { ids, position, dailyQuota, plans } = deps
    const { tenant } = principal(call)
    const id = idOf(workforceTask.idPrefix, call, ids)
    const before = await findExistingTask(deps, call, tenant, id)
    if (before) return await showTask(deps, toMessage, before)

    const admission = await admitTask(deps, req, call)
    failAsInstructed(admission.asked)
    const { task, input } = newTask(deps, req, call, id, admission)
    const place = await dailyQuota.take(call, id)
    const made = await addTask(deps, task, input, plans.workforcePlan(task.plan).max_queued).catch(async error => {
      // Of any other failure nobody knows whether it was stored: who looks for places without a task finds out.
      if (codeOf(error) !== 'queue_full') throw error
      // Another call of the same operation may have taken the last room.
      const stored = await findExistingTask(deps, call, tenant, id)
      if (stored) return stored
      await dailyQuota.giveBack(call, place)
      throw error
    })
    return made === task ? toMessage(task, { input, position: position(task) }) : await showTask(deps, toMessage, made)
  }

/** What a task is made with, beside its request. */
export interface TaskAdmission {
  readonly kind: Pick<PublicKind, 'employee' | 'id'>
  readonly engine: TaskRecord['engine']
  readonly files: readonly AttachedFile[]
  readonly brief: string
  /** What it asks the sandbox for. */
  readonly asked: SandboxInput | undefined
}

/** What a request needs. Fails with everything that stands against it, at once. */
export async function admitTask(
  deps: WorkforceDeps,
  req: CreateWorkforceTaskRequest,
  call: HandlerContext,
): Promise<TaskAdmission> {
  const { mode } = principal(call)
  const brief = briefText(briefOf(req))
  const asked = mode === 'test' ? readSandboxInput(req.topic ?? '') : undefined
  const { kind, files } = await admitted(deps, req, call, brief, asked !== undefined)
  const engine = mode === 'test' ? 'mock' : chooseEngine(kind, req.input, req.engine ?? EngineChoice.AUTO, deps)
  if (req.maxCost && engine !== 'mock') requirePrices(kind, engine, deps)
  return { kind, engine, files, brief, asked }
}

/** A task that is not stored yet, and its input. */
export function newTask(
  deps: Pick<WorkforceDeps, 'kind' | 'clock' | 'inputs'>,
  req: CreateWorkforceTaskRequest,
  call: HandlerContext,
  id: Id,
  { kind, engine, files, brief, asked }: TaskAdmission,
): { readonly task: TaskRecord; readonly input: string } {
  const { tenant, plans } = principal(call)
  const task: TaskRecord = {
    ...newTaskFields(deps, req, call, id, QUEUE_TIMEOUT_S, asked),
    plan: plans.workforce,
    employee: kind.employee,
    task: kind.id,
    engine,
    group: `${kind.employee}/${kind.id}`,
    rank: 1,
    ...deps.inputs.placed(tenant, id, brief),
    files,
    ...(req.maxCost && { max_cost_micros: amountOf(req.maxCost) }),
    run_timeout_s: req.timeoutS ?? RUN_TIMEOUT_S,
    max_attempts: MAX_ATTEMPTS,
  }
  return { task, input: brief }
}

const QUEUE_TIMEOUT_S = 86_400
const RUN_TIMEOUT_S = 300
const MAX_ATTEMPTS = 3

/** Bytes of JSON. */
const MOST_INPUT = 524_288

/** The kind of work that is asked for, and the files. Fails with everything that stands against the request, at once. */
async function admitted(
  { employees, files, targetFault }: WorkforceDeps,
  req: CreateWorkforceTaskRequest,
  call: HandlerContext,
  brief: string,
  isMagic: boolean,
) {
  const caller = principal(call)
  const employee = requireKnown(employees, req.employee)
  const kind = employee.kinds.get(req.task)
  const given = await attachedFiles(files, caller, req.files)
  const bytes = Buffer.byteLength(brief)
  const faults: Fault[] = [
    ...(kind === undefined ? [unknownKind(req, [...employee.kinds.keys()])] : []),
    ...(bytes > MOST_INPUT ? [tooLarge] : []),
    ...(kind === undefined || isMagic || bytes > MOST_INPUT
      ? []
      : [...kind.faultsIn(req.input ?? {}, bytes), ...requiredInputFaults(kind.spec, req)]),
    ...(kind === undefined ? [] : engineFaults(kind.spec, req.input, req.engine ?? EngineChoice.AUTO)),
    ...wordsFaults(req),
    ...given.faults,
    ...costFaults(req.maxCost),
    ...callbackFaults(req.callback, caller.mode, targetFault, workforceTask.eventPrefix),
  ]
  failIf(faults)
  if (kind === undefined) throw new Error('a kind that is none was no fault')
  return { kind: kind.spec, files: given.files }
}

function unknownKind({ employee, task }: CreateWorkforceTaskRequest, kinds: readonly string[]): Fault {
  const does = kinds.length === 0 ? 'does nothing yet' : `does ${kinds.join(', ')}`
  return { param: 'task', code: 'not_in', message: `There is no \`${task.slice(0, 64)}\`: ${employee} ${does}.` }
}

const tooLarge: Fault = {
  param: 'input',
  code: 'too_large',
  message: `What is asked for has more than ${MOST_INPUT} bytes of JSON. Send what is large as files.`,
}

function wordsFaults({ constraints }: CreateWorkforceTaskRequest): Fault[] {
  const { minWords = 0, maxWords = Number.POSITIVE_INFINITY } = constraints ?? {}
  if (minWords <= maxWords) return []
  const param = 'constraints.max_words'
  return [{ param, code: 'min', message: `\`${param}\` must be at least \`min_words\`.` }]
}

const AMOUNT = /^\d{1,9}(\.\d{1,6})?$/

function costFaults(money: Money | undefined): Fault[] {
  if (money === undefined) return []
  const { amount, currency } = money
  const misfit = { param: 'max_cost.amount', code: 'wrong_type', message: AMOUNT_FORM }
  const foreign = { param: 'max_cost.currency', code: 'not_in', message: '`max_cost.currency` must be USD.' }
  return [...(AMOUNT.test(amount) ? [] : [misfit]), ...(currency === 'USD' ? [] : [foreign])]
}

const AMOUNT_FORM = '`max_cost.amount` must be a decimal number with at most six places, for example `0.25`.'

/** In millionths, of an amount without a fault. */
function amountOf({ amount }: Money): number {
  const [whole = '0', decimals = ''] = amount.split('.')
  return Number(whole + decimals.padEnd(6, '0'))
}
