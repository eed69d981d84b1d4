// @generated from the `buf.validate` rules of the contract by `pnpm generate`. Do not edit.

import type * as batch_v1_batch from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import type * as batch_v1_batch_task_service from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import type * as billing_v1_billing from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import type * as billing_v1_ledger_service from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import type * as billing_v1_payment_service from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import type * as billing_v1_usage from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import type * as compute_v1_executor_service from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import type * as compute_v1_file from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import type * as compute_v1_model from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import type * as compute_v1_stream_token_service from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import type * as compute_v1_task from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type * as compute_v1_task_file_service from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type * as compute_v1_task_request from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type * as compute_v1_task_stream from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import type * as identity_v1_account from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type * as identity_v1_api_key from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import type * as identity_v1_consumer from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import type * as identity_v1_consumer_directory_service from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import type * as identity_v1_idempotency_service from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type * as identity_v1_identity_service from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type * as identity_v1_plan_service from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import type * as identity_v1_quota_service from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type * as identity_v1_rate_service from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import type * as instance_v1_capacity_service from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import type * as instance_v1_instance from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import type * as instance_v1_instance_log from '@millhand/api/gen/millhand/instance/v1/instance_log_pb.ts'
import type * as lease_v1_emission from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type * as lease_v1_lease from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type * as lease_v1_lease_service from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type * as lease_v1_owner_service from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type * as status_v1_status_service from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import type * as webhook_v1_archive from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import type * as webhook_v1_delivery from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type * as webhook_v1_webhook from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type * as workforce_v1_task from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type * as workforce_v1_task_stream from '@millhand/api/gen/millhand/workforce/v1/task_stream_pb.ts'

import { add, each, entryPath, hasRepeats, inside, isEnough, isLonger, isOverBytes, lengthOf, type BrokenRule, type Check } from '../validation/broken-rule.ts'

const pattern1 = /^[0-9]{4}-(0[1-9]|1[0-2])$/u
const pattern2 = /^[a-z]{1,8}_[0-9a-z]{1,26}\/[0-9]{1,10}$/u
const pattern3 = /^[a-z]\w*(\.[A-Za-z]\w*)+\/(\*|[A-Za-z]\w*)$/u
const pattern4 = /^(\*|acct_[0-9a-z]{26})(\/(live|test))?$/u
const pattern5 = /^(\d{4}-\d{2}-\d{2})?$/u
const pattern6 = /^\d{4}-\d{2}-\d{2}$/u
const pattern7 = /^[A-Za-z0-9]([A-Za-z0-9._:/@-]*[A-Za-z0-9])?$/u
const pattern8 = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/u
const pattern9 = /^acct_[0-9a-z]{1,26}\/(live|test)$/u
const pattern10 = /^[^/\\\x00-\x1f]+$/u
const pattern11 = /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+=[\w.+-]+)?$/u
const pattern12 = /^[\w-]{1,64}$/u
const pattern13 = /^(live|test)\/[a-z0-9_-]{1,32}$/u
const pattern14 = /^(acct_[0-9a-z]{1,26}\/(live|test))?$/u
const pattern15 = /^[a-z0-9][a-z0-9-]{0,62}$/u
const pattern16 = /^[a-z][a-z0-9_]{0,63}$/u
const pattern17 = /^[a-z]{1,8}_[0-9a-z]{1,26}$/u
const pattern18 = /^file_[0-9a-z]{26}$/u
const pattern19 = /^[a-z0-9_]{0,32}$/u
const pattern20 = /^([a-z0-9][a-z0-9-]{0,62})?$/u
const pattern21 = /^inst_[0-9a-z]{26}$/u
const pattern22 = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/u
const pattern23 = /^(file_[0-9a-z]{26})?$/u
const pattern24 = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/u

function batchAddTasksRequest(m: batch_v1_batch_task_service.AddTasksRequest, broken: BrokenRule[]): void {
  if (m.batchId === '') add(broken, 'batch_id', 'missing_parameter', 'is required')
  if (m.tasks.length > 1000) add(broken, 'tasks', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.tasks, 'tasks', batchBatchTask, broken)
}

function batchBatchTask(m: batch_v1_batch_task_service.BatchTask, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.request === undefined) add(broken, 'request', 'missing_parameter', 'is required')
  else inside(m.request, 'request', batchTaskRequest, broken)
}

function batchCancelBatchRequest(m: batch_v1_batch.CancelBatchRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function batchCancelTasksRequest(m: batch_v1_batch_task_service.CancelTasksRequest, broken: BrokenRule[]): void {
  if (m.ids.length > 1000) add(broken, 'ids', 'too_many', 'must contain no more than 1000 item(s)')
}

function batchCheckTasksRequest(m: batch_v1_batch_task_service.CheckTasksRequest, broken: BrokenRule[]): void {
  if (m.tasks.length > 1000) add(broken, 'tasks', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.tasks, 'tasks', batchTaskRequest, broken)
  if (m.batchId === '') add(broken, 'batch_id', 'missing_parameter', 'is required')
}

function batchCreateBatchRequest(m: batch_v1_batch.CreateBatchRequest, broken: BrokenRule[]): void {
  if (m.tasks.length > 0) {
    if (m.tasks.length > 1000) add(broken, 'tasks', 'too_many', 'must contain no more than 1000 item(s)')
  }
  if (m.inputFile !== undefined) {
    if (m.inputFile === '') add(broken, 'input_file', 'min_len', 'must not be empty')
    if (isLonger(m.inputFile, 64)) add(broken, 'input_file', 'max_len', 'must be at most 64 characters')
  }
  if (m.completionWindowS !== undefined) {
    if (!(m.completionWindowS >= 60 && m.completionWindowS <= 604800)) add(broken, 'completion_window_s', m.completionWindowS < 60 ? 'min' : 'max', 'must be from 60 to 604800')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
  if (Number(m.tasks.length > 0) + Number(m.inputFile !== undefined) > 1) add(broken, 'input_file', 'not_allowed', 'Only one of `tasks` and `input_file` can be given', 'message')
  if (Number(m.tasks.length > 0) + Number(m.inputFile !== undefined) === 0) add(broken, 'tasks', 'missing_parameter', 'or `input_file` is required')
}

function batchGetBatchRequest(m: batch_v1_batch.GetBatchRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function batchGetTasksRequest(m: batch_v1_batch_task_service.GetTasksRequest, broken: BrokenRule[]): void {
  if (m.ids.length > 1000) add(broken, 'ids', 'too_many', 'must contain no more than 1000 item(s)')
}

function batchHoldInputsRequest(m: batch_v1_batch_task_service.HoldInputsRequest, broken: BrokenRule[]): void {
  if (m.batchId === '') add(broken, 'batch_id', 'missing_parameter', 'is required')
  if (m.ids.length > 1000) add(broken, 'ids', 'too_many', 'must contain no more than 1000 item(s)')
  if (m.until === undefined) add(broken, 'until', 'missing_parameter', 'is required')
}

function batchListBatchesRequest(m: batch_v1_batch.ListBatchesRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2, 3, 4, 5].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of running, completed, cancelling, cancelled, expired')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of running, completed, cancelling, cancelled, expired')
  }
}

function batchReleaseInputsRequest(m: batch_v1_batch_task_service.ReleaseInputsRequest, broken: BrokenRule[]): void {
  if (m.batchId === '') add(broken, 'batch_id', 'missing_parameter', 'is required')
}

function batchTaskRequest(m: batch_v1_batch_task_service.TaskRequest, broken: BrokenRule[]): void {
  if (m.kind.case === 'task') {
    inside(m.kind.value, 'task', computeCreateTaskRequest, broken)
  }
  if (m.kind.case === 'workforceTask') {
    inside(m.kind.value, 'workforce_task', workforceCreateWorkforceTaskRequest, broken)
  }
  if (m.kind.case === undefined) add(broken, 'kind', 'missing_parameter', 'is required')
}

function billingGetInvoiceRequest(m: billing_v1_billing.GetInvoiceRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function billingGetUsageRequest(m: billing_v1_usage.GetUsageRequest, broken: BrokenRule[]): void {
  if (m.groupBy !== undefined) {
    if (![0, 1, 2, 3, 4].includes(m.groupBy)) add(broken, 'group_by', 'not_in', 'must be one of day, model, type, gpu_type')
    if ([0].includes(m.groupBy)) add(broken, 'group_by', 'not_in', 'must be one of day, model, type, gpu_type')
  }
}

function billingListInvoicesRequest(m: billing_v1_billing.ListInvoicesRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
}

function billingListLineEntriesRequest(m: billing_v1_billing.ListLineEntriesRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
}

function billingPostCreditRequest(m: billing_v1_ledger_service.PostCreditRequest, broken: BrokenRule[]): void {
  if (m.key === '') add(broken, 'key', 'min_len', 'must not be empty')
  if (isLonger(m.key, 200)) add(broken, 'key', 'max_len', 'must be at most 200 characters')
  if (!(m.micros >= -1000000000000n && m.micros <= 1000000000000n)) add(broken, 'micros', m.micros < -1000000000000n ? 'min' : 'max', 'must be from -1000000000000 to 1000000000000')
  if ([0n].includes(m.micros)) add(broken, 'micros', 'not_allowed', 'must not be in list [0]')
  if (![0, 1, 2, 3].includes(m.family)) add(broken, 'family', 'not_in', 'must be one of compute, developer, workforce')
  if ([0].includes(m.family)) add(broken, 'family', 'not_in', 'must be one of compute, developer, workforce')
  if (m.reason === '') add(broken, 'reason', 'min_len', 'must not be empty')
  if (isLonger(m.reason, 500)) add(broken, 'reason', 'max_len', 'must be at most 500 characters')
  if (m.by === '') add(broken, 'by', 'min_len', 'must not be empty')
  if (isLonger(m.by, 200)) add(broken, 'by', 'max_len', 'must be at most 200 characters')
}

function billingReceiveNotificationRequest(m: billing_v1_payment_service.ReceiveNotificationRequest, broken: BrokenRule[]): void {
  if (m.body.length > 262144) add(broken, 'body', 'max_len', 'must be at most 262144 bytes')
  if (isLonger(m.signature, 4096)) add(broken, 'signature', 'max_len', 'must be at most 4096 characters')
}

function billingRenderInvoiceRequest(m: billing_v1_billing.RenderInvoiceRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (!['text/csv', 'application/pdf'].includes(m.mediaType)) add(broken, 'media_type', 'not_in', 'must be in list [text/csv, application/pdf]')
}

function billingVerifyLedgerRequest(m: billing_v1_ledger_service.VerifyLedgerRequest, broken: BrokenRule[]): void {
  if (m.month !== undefined) {
    if (!pattern1.test(m.month)) add(broken, 'month', 'pattern', 'does not match regex pattern `^[0-9]{4}-(0[1-9]|1[0-2])$`')
  }
}

function computeCancelTaskRequest(m: compute_v1_task_request.CancelTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeCreateModelRequest(m: compute_v1_model.CreateModelRequest, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'missing_parameter', 'is required')
  else if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
  if (m.file === '') add(broken, 'file', 'missing_parameter', 'is required')
  else if (isLonger(m.file, 64)) add(broken, 'file', 'max_len', 'must be at most 64 characters')
  if (m.description !== undefined) {
    if (m.description === '') add(broken, 'description', 'min_len', 'must not be empty')
    if (isLonger(m.description, 4096)) add(broken, 'description', 'max_len', 'must be at most 4096 characters')
  }
  if (m.labels.length > 20000) add(broken, 'labels', 'too_many', 'must contain no more than 20000 item(s)')
  else {
    for (const [at, item] of m.labels.entries()) {
      if (isEnough(broken)) break
      if (isLonger(item, 256)) add(broken, `labels[${at}]`, 'max_len', 'must be at most 256 characters')
    }
  }
  if (m.maxBatch !== undefined) {
    if (!(m.maxBatch >= 1 && m.maxBatch <= 1024)) add(broken, 'max_batch', m.maxBatch < 1 ? 'min' : 'max', 'must be from 1 to 1024')
  }
  if (m.license !== undefined) {
    if (m.license === '') add(broken, 'license', 'min_len', 'must not be empty')
    if (isLonger(m.license, 128)) add(broken, 'license', 'max_len', 'must be at most 128 characters')
  }
  if (Object.keys(m.metrics).length > 32) add(broken, 'metrics', 'too_many', 'must have at most 32 entries')
  else {
    for (const [key, value] of Object.entries(m.metrics)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metrics', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metrics', key), 'max_len', 'must be at most 64 characters', 'key')
    }
  }
  if (m.exampleInput !== undefined) {
    if (m.exampleInput === '') add(broken, 'example_input', 'min_len', 'must not be empty')
    if (isLonger(m.exampleInput, 32768)) add(broken, 'example_input', 'max_len', 'must be at most 32768 characters')
  }
}

function computeCreateStreamTokenRequest(m: compute_v1_task_stream.CreateStreamTokenRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeCreateTaskRequest(m: compute_v1_task_request.CreateTaskRequest, broken: BrokenRule[]): void {
  if (m.type === 0) add(broken, 'type', 'missing_parameter', 'is required: one of inference, training, batch, custom')
  else if (![0, 1, 2, 3, 4].includes(m.type)) add(broken, 'type', 'not_in', 'must be one of inference, training, batch, custom')
  if (m.model === '') add(broken, 'model', 'missing_parameter', 'is required')
  else if (isLonger(m.model, 128)) add(broken, 'model', 'max_len', 'must be at most 128 characters')
  if (m.input !== '') {
    if (isOverBytes(m.input, 524288)) add(broken, 'input', 'too_large', 'must be at most 524288 bytes')
  }
  if (m.priority !== undefined) {
    if (![0, 1, 2, 3].includes(m.priority)) add(broken, 'priority', 'not_in', 'must be one of low, normal, high')
    if ([0].includes(m.priority)) add(broken, 'priority', 'not_in', 'must be one of low, normal, high')
  }
  if (m.queueTimeoutS !== undefined) {
    if (!(m.queueTimeoutS >= 1 && m.queueTimeoutS <= 604800)) add(broken, 'queue_timeout_s', m.queueTimeoutS < 1 ? 'min' : 'max', 'must be from 1 to 604800')
  }
  if (m.runTimeoutS !== undefined) {
    if (!(m.runTimeoutS >= 1 && m.runTimeoutS <= 86400)) add(broken, 'run_timeout_s', m.runTimeoutS < 1 ? 'min' : 'max', 'must be from 1 to 86400')
  }
  if (m.maxAttempts !== undefined) {
    if (!(m.maxAttempts >= 1 && m.maxAttempts <= 10)) add(broken, 'max_attempts', m.maxAttempts < 1 ? 'min' : 'max', 'must be from 1 to 10')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
  if (m.inputFile !== undefined) {
    if (m.inputFile === '') add(broken, 'input_file', 'min_len', 'must not be empty')
    if (isLonger(m.inputFile, 64)) add(broken, 'input_file', 'max_len', 'must be at most 64 characters')
  }
  if (m.callback !== undefined) {
    inside(m.callback, 'callback', computeTaskCallback, broken)
  }
  if (Number(m.input !== '') + Number(m.inputFile !== undefined) > 1) add(broken, 'input_file', 'not_allowed', 'Only one of `input` and `input_file` can be given', 'message')
  if (Number(m.input !== '') + Number(m.inputFile !== undefined) === 0) add(broken, 'input', 'missing_parameter', 'or `input_file` is required')
}

function computeDeleteFileRequest(m: compute_v1_file.DeleteFileRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeDeleteModelRequest(m: compute_v1_model.DeleteModelRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeDeleteTaskDataRequest(m: compute_v1_task_request.DeleteTaskDataRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeFileDescription(m: compute_v1_file.FileDescription, broken: BrokenRule[]): void {
  if (m.filename !== undefined) {
    if (m.filename === '') add(broken, 'filename', 'min_len', 'must not be empty')
    if (isLonger(m.filename, 255)) add(broken, 'filename', 'max_len', 'must be at most 255 characters')
  }
  if (m.purpose !== undefined) {
    if (![0, 1, 2, 3, 4].includes(m.purpose)) add(broken, 'purpose', 'not_in', 'must be one of input, model, dataset')
    if ([0, 4].includes(m.purpose)) add(broken, 'purpose', 'not_in', 'must be one of input, model, dataset')
  }
  if (m.mediaType !== undefined) {
    if (m.mediaType === '') add(broken, 'media_type', 'min_len', 'must not be empty')
    if (isLonger(m.mediaType, 255)) add(broken, 'media_type', 'max_len', 'must be at most 255 characters')
  }
  if (m.expiresAfterS !== undefined) {
    if (!(m.expiresAfterS >= 60 && m.expiresAfterS <= 31536000)) add(broken, 'expires_after_s', m.expiresAfterS < 60 ? 'min' : 'max', 'must be from 60 to 31536000')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
}

function computeGetFileContentRequest(m: compute_v1_file.GetFileContentRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeGetFileRequest(m: compute_v1_file.GetFileRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeGetModelRequest(m: compute_v1_model.GetModelRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeGetTaskRequest(m: compute_v1_task_request.GetTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function computeGetTokenRequest(m: compute_v1_executor_service.GetTokenRequest, broken: BrokenRule[]): void {
  if (m.credential === '') add(broken, 'credential', 'missing_parameter', 'is required')
  else if (isLonger(m.credential, 2048)) add(broken, 'credential', 'max_len', 'must be at most 2048 characters')
}

function computeKeepTaskFileRequest(m: compute_v1_task_file_service.KeepTaskFileRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (!pattern2.test(m.run)) add(broken, 'run', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}/[0-9]{1,10}$`')
  if (m.until === undefined) add(broken, 'until', 'missing_parameter', 'is required')
}

function computeListFilesRequest(m: compute_v1_file.ListFilesRequest, broken: BrokenRule[]): void {
  if (m.purpose !== undefined) {
    if (![0, 1, 2, 3, 4].includes(m.purpose)) add(broken, 'purpose', 'not_in', 'must be one of input, model, dataset, output')
    if ([0].includes(m.purpose)) add(broken, 'purpose', 'not_in', 'must be one of input, model, dataset, output')
  }
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
}

function computeListModelsRequest(m: compute_v1_model.ListModelsRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
}

function computeListTasksRequest(m: compute_v1_task_request.ListTasksRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2, 3, 4, 5, 6, 7].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, cancelling, succeeded, failed, cancelled, expired')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, cancelling, succeeded, failed, cancelled, expired')
  }
  if (m.type !== undefined) {
    if (![0, 1, 2, 3, 4].includes(m.type)) add(broken, 'type', 'not_in', 'must be one of inference, training, batch, custom')
    if ([0].includes(m.type)) add(broken, 'type', 'not_in', 'must be one of inference, training, batch, custom')
  }
  if (m.model !== undefined) {
    if (m.model === '') add(broken, 'model', 'min_len', 'must not be empty')
    if (isLonger(m.model, 128)) add(broken, 'model', 'max_len', 'must be at most 128 characters')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
  if (m.include.length > 100) add(broken, 'include', 'too_many', 'must contain no more than 100 item(s)')
  else {
    if (hasRepeats(m.include)) add(broken, 'include', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.include.entries()) {
      if (isEnough(broken)) break
      if (![0, 1, 2].includes(item)) add(broken, `include[${at}]`, 'not_in', 'must be one of input, output')
      if ([0].includes(item)) add(broken, `include[${at}]`, 'not_in', 'must be one of input, output')
    }
  }
  if (m.batchId !== undefined) {
    if (m.batchId === '') add(broken, 'batch_id', 'min_len', 'must not be empty')
    if (isLonger(m.batchId, 64)) add(broken, 'batch_id', 'max_len', 'must be at most 64 characters')
  }
}

function computeRedeemStreamTokenRequest(m: compute_v1_stream_token_service.RedeemStreamTokenRequest, broken: BrokenRule[]): void {
  if (m.taskId === '') add(broken, 'task_id', 'missing_parameter', 'is required')
}

function computeStoreTaskFileRequest(m: compute_v1_task_file_service.StoreTaskFileRequest, broken: BrokenRule[]): void {
  if (m.part.case === 'file') {
    inside(m.part.value, 'file', computeTaskFile, broken)
  }
  if (m.part.case === 'data') {
    if (m.part.value.length > 1048576) add(broken, 'data', 'max_len', 'must be at most 1048576 bytes')
  }
  if (m.part.case === undefined) add(broken, 'part', 'missing_parameter', 'is required')
}

function computeTaskCallback(m: compute_v1_task.TaskCallback, broken: BrokenRule[]): void {
  if (m.url === '') add(broken, 'url', 'missing_parameter', 'is required')
  else if (isLonger(m.url, 2048)) add(broken, 'url', 'max_len', 'must be at most 2048 characters')
  if (m.events.length > 20) add(broken, 'events', 'too_many', 'must contain no more than 20 item(s)')
  else {
    if (hasRepeats(m.events)) add(broken, 'events', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.events.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `events[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 64)) add(broken, `events[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
}

function computeTaskFile(m: compute_v1_task_file_service.TaskFile, broken: BrokenRule[]): void {
  if (!pattern2.test(m.run)) add(broken, 'run', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}/[0-9]{1,10}$`')
  if (m.filename === '') add(broken, 'filename', 'min_len', 'must not be empty')
  if (isLonger(m.filename, 255)) add(broken, 'filename', 'max_len', 'must be at most 255 characters')
  if (m.mediaType === '') add(broken, 'media_type', 'min_len', 'must not be empty')
  if (isLonger(m.mediaType, 255)) add(broken, 'media_type', 'max_len', 'must be at most 255 characters')
}

function computeUploadFileRequest(m: compute_v1_file.UploadFileRequest, broken: BrokenRule[]): void {
  if (m.part.case === 'description') {
    inside(m.part.value, 'description', computeFileDescription, broken)
  }
  if (m.part.case === 'data') {
    if (m.part.value.length > 1048576) add(broken, 'data', 'max_len', 'must be at most 1048576 bytes')
  }
  if (m.part.case === undefined) add(broken, 'part', 'missing_parameter', 'is required')
}

function computeWaitTaskRequest(m: compute_v1_task_stream.WaitTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (!(m.timeoutMs <= 60000)) add(broken, 'timeout_ms', 'max', 'must be at most 60000')
}

function computeWatchTaskRequest(m: compute_v1_task_stream.WatchTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.after !== undefined) {
    if (!(m.after <= 9007199254740991n)) add(broken, 'after', 'max', 'must be at most 9007199254740991')
  }
}

function identityAuthenticateKeyRequest(m: identity_v1_identity_service.AuthenticateKeyRequest, broken: BrokenRule[]): void {
  if (m.key.case === 'keySha256') {
    if (m.key.value.length !== 32) add(broken, 'key_sha256', 'len', 'must be 32 bytes')
  }
  if (m.key.case === undefined) add(broken, 'key', 'missing_parameter', 'is required')
}

function identityCompleteRequest(m: identity_v1_idempotency_service.CompleteRequest, broken: BrokenRule[]): void {
  if (m.keySha256.length !== 32) add(broken, 'key_sha256', 'len', 'must be 32 bytes')
  if (m.holder === '') add(broken, 'holder', 'min_len', 'must not be empty')
  if (m.answer === undefined) add(broken, 'answer', 'missing_parameter', 'is required')
  if (lengthOf(m.operation) !== 26) add(broken, 'operation', 'len', 'must be 26 characters')
}

function identityConsumerUse(m: identity_v1_consumer_directory_service.ConsumerUse, broken: BrokenRule[]): void {
  if (m.consumerId === '') add(broken, 'consumer_id', 'min_len', 'must not be empty')
  if (isLonger(m.consumerId, 64)) add(broken, 'consumer_id', 'max_len', 'must be at most 64 characters')
  if (m.usedAt === undefined) add(broken, 'used_at', 'missing_parameter', 'is required')
}

function identityCreateAccountRequest(m: identity_v1_account.CreateAccountRequest, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'min_len', 'must not be empty')
  if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
  if (m.plans !== undefined) {
    inside(m.plans, 'plans', identityPlans, broken)
  }
}

function identityCreateApiKeyRequest(m: identity_v1_api_key.CreateApiKeyRequest, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'missing_parameter', 'is required')
  else if (isLonger(m.name, 64)) add(broken, 'name', 'max_len', 'must be at most 64 characters')
  if (m.scopes.length === 0) add(broken, 'scopes', 'missing_parameter', 'is required')
  else {
    if (m.scopes.length > 32) add(broken, 'scopes', 'too_many', 'must contain no more than 32 item(s)')
    else {
      if (m.scopes.length < 1) add(broken, 'scopes', 'too_few', 'must contain at least 1 item(s)')
      if (hasRepeats(m.scopes)) add(broken, 'scopes', 'not_unique', 'must contain unique items')
      for (const [at, item] of m.scopes.entries()) {
        if (isEnough(broken)) break
        if (isLonger(item, 64)) add(broken, `scopes[${at}]`, 'max_len', 'must be at most 64 characters')
      }
    }
  }
}

function identityCreateConsumerRequest(m: identity_v1_consumer.CreateConsumerRequest, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'missing_parameter', 'is required')
  else if (isLonger(m.name, 64)) add(broken, 'name', 'max_len', 'must be at most 64 characters')
  if (m.methods.length === 0) add(broken, 'methods', 'missing_parameter', 'is required')
  else {
    if (m.methods.length > 64) add(broken, 'methods', 'too_many', 'must contain no more than 64 item(s)')
    else {
      if (m.methods.length < 1) add(broken, 'methods', 'too_few', 'must contain at least 1 item(s)')
      if (hasRepeats(m.methods)) add(broken, 'methods', 'not_unique', 'must contain unique items')
      for (const [at, item] of m.methods.entries()) {
        if (isEnough(broken)) break
        if (isLonger(item, 128)) add(broken, `methods[${at}]`, 'max_len', 'must be at most 128 characters')
        if (item.length <= 256 && !pattern3.test(item)) add(broken, `methods[${at}]`, 'pattern', 'does not match regex pattern `^[a-z]\\w*(\\.[A-Za-z]\\w*)+/(\\*|[A-Za-z]\\w*)$`')
      }
    }
  }
  if (m.accounts.length === 0) add(broken, 'accounts', 'missing_parameter', 'is required')
  else {
    if (m.accounts.length > 100) add(broken, 'accounts', 'too_many', 'must contain no more than 100 item(s)')
    else {
      if (m.accounts.length < 1) add(broken, 'accounts', 'too_few', 'must contain at least 1 item(s)')
      if (hasRepeats(m.accounts)) add(broken, 'accounts', 'not_unique', 'must contain unique items')
      for (const [at, item] of m.accounts.entries()) {
        if (isEnough(broken)) break
        if (isLonger(item, 64)) add(broken, `accounts[${at}]`, 'max_len', 'must be at most 64 characters')
        if (item.length <= 128 && !pattern4.test(item)) add(broken, `accounts[${at}]`, 'pattern', 'does not match regex pattern `^(\\*|acct_[0-9a-z]{26})(/(live|test))?$`')
      }
    }
  }
  if (m.scopes.length > 32) add(broken, 'scopes', 'too_many', 'must contain no more than 32 item(s)')
  else {
    if (hasRepeats(m.scopes)) add(broken, 'scopes', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.scopes.entries()) {
      if (isEnough(broken)) break
      if (isLonger(item, 64)) add(broken, `scopes[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
}

function identityGetAccountRequest(m: identity_v1_account.GetAccountRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function identityGetApiKeyRequest(m: identity_v1_api_key.GetApiKeyRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function identityGetDailyRequest(m: identity_v1_quota_service.GetDailyRequest, broken: BrokenRule[]): void {
  if (!pattern5.test(m.day)) add(broken, 'day', 'pattern', 'does not match regex pattern `^(\\d{4}-\\d{2}-\\d{2})?$`')
}

function identityKeyUse(m: identity_v1_identity_service.KeyUse, broken: BrokenRule[]): void {
  if (m.key === undefined) add(broken, 'key', 'missing_parameter', 'is required')
  if (m.usedAt === undefined) add(broken, 'used_at', 'missing_parameter', 'is required')
}

function identityListAccountsRequest(m: identity_v1_account.ListAccountsRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 1000)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 1000')
  }
}

function identityListApiKeysRequest(m: identity_v1_api_key.ListApiKeysRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
}

function identityListConsumersRequest(m: identity_v1_consumer.ListConsumersRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 1000)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 1000')
  }
}

function identityListDailyRequest(m: identity_v1_quota_service.ListDailyRequest, broken: BrokenRule[]): void {
  if (!pattern6.test(m.day)) add(broken, 'day', 'pattern', 'does not match regex pattern `^\\d{4}-\\d{2}-\\d{2}$`')
  if (isLonger(m.after, 64)) add(broken, 'after', 'max_len', 'must be at most 64 characters')
  if (m.takenBefore === undefined) add(broken, 'taken_before', 'missing_parameter', 'is required')
}

function identityPlans(m: identity_v1_account.Plans, broken: BrokenRule[]): void {
  if (isLonger(m.compute, 64)) add(broken, 'compute', 'max_len', 'must be at most 64 characters')
  if (isLonger(m.developer, 64)) add(broken, 'developer', 'max_len', 'must be at most 64 characters')
  if (isLonger(m.workforce, 64)) add(broken, 'workforce', 'max_len', 'must be at most 64 characters')
}

function identityReleaseDailyRequest(m: identity_v1_quota_service.ReleaseDailyRequest, broken: BrokenRule[]): void {
  if (!pattern6.test(m.day)) add(broken, 'day', 'pattern', 'does not match regex pattern `^\\d{4}-\\d{2}-\\d{2}$`')
  if (m.ids.length > 1000) add(broken, 'ids', 'too_many', 'must contain no more than 1000 item(s)')
  else if (m.ids.length < 1) add(broken, 'ids', 'too_few', 'must contain at least 1 item(s)')
  if (m.takenAt.length > 1000) add(broken, 'taken_at', 'too_many', 'must contain no more than 1000 item(s)')
  else if (m.takenAt.length < 1) add(broken, 'taken_at', 'too_few', 'must contain at least 1 item(s)')
}

function identityReleaseRequest(m: identity_v1_idempotency_service.ReleaseRequest, broken: BrokenRule[]): void {
  if (m.keySha256.length !== 32) add(broken, 'key_sha256', 'len', 'must be 32 bytes')
  if (m.holder === '') add(broken, 'holder', 'min_len', 'must not be empty')
}

function identityRenewRequest(m: identity_v1_idempotency_service.RenewRequest, broken: BrokenRule[]): void {
  if (m.keySha256.length !== 32) add(broken, 'key_sha256', 'len', 'must be 32 bytes')
  if (m.holder === '') add(broken, 'holder', 'min_len', 'must not be empty')
}

function identityReopenRequest(m: identity_v1_idempotency_service.ReopenRequest, broken: BrokenRule[]): void {
  if (lengthOf(m.operation) !== 26) add(broken, 'operation', 'len', 'must be 26 characters')
}

function identityReportKeyUseRequest(m: identity_v1_identity_service.ReportKeyUseRequest, broken: BrokenRule[]): void {
  if (m.uses.length > 1000) add(broken, 'uses', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.uses, 'uses', identityKeyUse, broken)
}

function identityReserveRequest(m: identity_v1_idempotency_service.ReserveRequest, broken: BrokenRule[]): void {
  if (m.keySha256.length !== 32) add(broken, 'key_sha256', 'len', 'must be 32 bytes')
  if (m.fingerprint.length !== 32) add(broken, 'fingerprint', 'len', 'must be 32 bytes')
  if (m.holder === '') add(broken, 'holder', 'min_len', 'must not be empty')
  if (isLonger(m.holder, 64)) add(broken, 'holder', 'max_len', 'must be at most 64 characters')
}

function identityRevokeApiKeyRequest(m: identity_v1_api_key.RevokeApiKeyRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function identityRevokeConsumerRequest(m: identity_v1_consumer.RevokeConsumerRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function identityRotateApiKeyRequest(m: identity_v1_api_key.RotateApiKeyRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.overlapSeconds !== undefined) {
    if (!(m.overlapSeconds <= 604800)) add(broken, 'overlap_seconds', 'max', 'must be at most 604800')
  }
}

function identitySyncConsumersRequest(m: identity_v1_consumer_directory_service.SyncConsumersRequest, broken: BrokenRule[]): void {
  if (m.accountIds.length > 1000) add(broken, 'account_ids', 'too_many', 'must contain no more than 1000 item(s)')
  else {
    for (const [at, item] of m.accountIds.entries()) {
      if (isEnough(broken)) break
      if (isLonger(item, 64)) add(broken, `account_ids[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
  if (m.uses.length > 1000) add(broken, 'uses', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.uses, 'uses', identityConsumerUse, broken)
}

function identityTakeDailyRequest(m: identity_v1_quota_service.TakeDailyRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'min_len', 'must not be empty')
  if (isLonger(m.id, 64)) add(broken, 'id', 'max_len', 'must be at most 64 characters')
}

function identityTakePlacesRequest(m: identity_v1_rate_service.TakePlacesRequest, broken: BrokenRule[]): void {
  if (m.gatewayId === '') add(broken, 'gateway_id', 'min_len', 'must not be empty')
  if (isLonger(m.gatewayId, 64)) add(broken, 'gateway_id', 'max_len', 'must be at most 64 characters')
  if (m.windows.length > 1000) add(broken, 'windows', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.windows, 'windows', identityWindowRequest, broken)
  if (!(m.call >= 1n)) add(broken, 'call', 'min', 'must be at least 1')
}

function identityUpdateAccountRequest(m: identity_v1_account.UpdateAccountRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.name !== undefined) {
    if (m.name === '') add(broken, 'name', 'min_len', 'must not be empty')
    if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of active, suspended')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of active, suspended')
  }
  if (m.plans !== undefined) {
    inside(m.plans, 'plans', identityPlans, broken)
  }
}

function identityUpdatePlansRequest(m: identity_v1_plan_service.UpdatePlansRequest, broken: BrokenRule[]): void {
  if (m.compute !== undefined) {
    if (m.compute === '') add(broken, 'compute', 'min_len', 'must not be empty')
    if (isLonger(m.compute, 64)) add(broken, 'compute', 'max_len', 'must be at most 64 characters')
  }
  if (m.developer !== undefined) {
    if (m.developer === '') add(broken, 'developer', 'min_len', 'must not be empty')
    if (isLonger(m.developer, 64)) add(broken, 'developer', 'max_len', 'must be at most 64 characters')
  }
  if (m.workforce !== undefined) {
    if (m.workforce === '') add(broken, 'workforce', 'min_len', 'must not be empty')
    if (isLonger(m.workforce, 64)) add(broken, 'workforce', 'max_len', 'must be at most 64 characters')
  }
}

function identityWindowRequest(m: identity_v1_rate_service.WindowRequest, broken: BrokenRule[]): void {
  if (m.window === '') add(broken, 'window', 'min_len', 'must not be empty')
  if (isLonger(m.window, 128)) add(broken, 'window', 'max_len', 'must be at most 128 characters')
  if (!(m.limit >= 1)) add(broken, 'limit', 'min', 'must be at least 1')
  if (m.recent.length > 61) add(broken, 'recent', 'too_many', 'must contain no more than 61 item(s)')
}

function instanceAdmitExecutorRequest(m: instance_v1_capacity_service.AdmitExecutorRequest, broken: BrokenRule[]): void {
  if (m.credential === '') add(broken, 'credential', 'missing_parameter', 'is required')
  else if (isLonger(m.credential, 2048)) add(broken, 'credential', 'max_len', 'must be at most 2048 characters')
}

function instanceCheckExecutorRequest(m: instance_v1_capacity_service.CheckExecutorRequest, broken: BrokenRule[]): void {
  if (m.replica === undefined) add(broken, 'replica', 'missing_parameter', 'is required')
  else inside(m.replica, 'replica', instanceExecutorReplica, broken)
}

function instanceCreateInstanceRequest(m: instance_v1_instance.CreateInstanceRequest, broken: BrokenRule[]): void {
  if (m.gpu === '') add(broken, 'gpu', 'missing_parameter', 'is required')
  else if (isLonger(m.gpu, 64)) add(broken, 'gpu', 'max_len', 'must be at most 64 characters')
  if (m.image === '') add(broken, 'image', 'missing_parameter', 'is required')
  else {
    if (isLonger(m.image, 512)) add(broken, 'image', 'max_len', 'must be at most 512 characters')
    if (m.image.length <= 1024 && !pattern7.test(m.image)) add(broken, 'image', 'pattern', 'does not match regex pattern `^[A-Za-z0-9]([A-Za-z0-9._:/@-]*[A-Za-z0-9])?$`')
  }
  if (m.name !== undefined) {
    if (m.name === '') add(broken, 'name', 'min_len', 'must not be empty')
    if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
  }
  if (m.replicas !== undefined) {
    if (!(m.replicas <= 64)) add(broken, 'replicas', 'max', 'must be at most 64')
  }
  if (Object.keys(m.env).length > 100) add(broken, 'env', 'too_many', 'must have at most 100 entries')
  else {
    for (const [key, value] of Object.entries(m.env)) {
      if (isEnough(broken)) break
      if (!pattern8.test(key)) add(broken, entryPath('env', key), 'pattern', 'does not match regex pattern `^[A-Za-z_][A-Za-z0-9_]{0,255}$`', 'key')
      if (isLonger(value, 32768)) add(broken, entryPath('env', key), 'max_len', 'must be at most 32768 characters')
    }
  }
  if (m.command.length > 100) add(broken, 'command', 'too_many', 'must contain no more than 100 item(s)')
  else {
    for (const [at, item] of m.command.entries()) {
      if (isEnough(broken)) break
      if (isLonger(item, 4096)) add(broken, `command[${at}]`, 'max_len', 'must be at most 4096 characters')
    }
  }
  if (m.ports.length > 16) add(broken, 'ports', 'too_many', 'must contain no more than 16 item(s)')
  else {
    if (hasRepeats(m.ports)) add(broken, 'ports', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.ports.entries()) {
      if (isEnough(broken)) break
      if (!(item >= 1 && item <= 65535)) add(broken, `ports[${at}]`, item < 1 ? 'min' : 'max', 'must be from 1 to 65535')
    }
  }
  if (m.volumeGb !== undefined) {
    if (!(m.volumeGb >= 1 && m.volumeGb <= 1024)) add(broken, 'volume_gb', m.volumeGb < 1 ? 'min' : 'max', 'must be from 1 to 1024')
  }
  if (m.maxLifetimeS !== undefined) {
    if (!(m.maxLifetimeS >= 60 && m.maxLifetimeS <= 31536000)) add(broken, 'max_lifetime_s', m.maxLifetimeS < 60 ? 'min' : 'max', 'must be from 60 to 31536000')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
  if (m.registryCredential !== undefined) {
    inside(m.registryCredential, 'registry_credential', instanceRegistryCredential, broken)
  }
}

function instanceDeleteInstanceRequest(m: instance_v1_instance.DeleteInstanceRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function instanceExecutorReplica(m: instance_v1_capacity_service.ExecutorReplica, broken: BrokenRule[]): void {
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.instance === '') add(broken, 'instance', 'missing_parameter', 'is required')
  else if (isLonger(m.instance, 64)) add(broken, 'instance', 'max_len', 'must be at most 64 characters')
}

function instanceGetInstanceRequest(m: instance_v1_instance.GetInstanceRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function instanceListInstanceEventsRequest(m: instance_v1_instance.ListInstanceEventsRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function instanceListInstancesRequest(m: instance_v1_instance.ListInstancesRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2, 3, 4, 5, 6, 7, 8].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of pending, provisioning, running, scaling, degraded, terminating, terminated, failed')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of pending, provisioning, running, scaling, degraded, terminating, terminated, failed')
  }
  if (m.gpu !== undefined) {
    if (m.gpu === '') add(broken, 'gpu', 'min_len', 'must not be empty')
    if (isLonger(m.gpu, 64)) add(broken, 'gpu', 'max_len', 'must be at most 64 characters')
  }
}

function instanceRegistryCredential(m: instance_v1_instance.RegistryCredential, broken: BrokenRule[]): void {
  if (m.username === '') add(broken, 'username', 'missing_parameter', 'is required')
  else if (isLonger(m.username, 256)) add(broken, 'username', 'max_len', 'must be at most 256 characters')
  if (m.password === '') add(broken, 'password', 'missing_parameter', 'is required')
  else if (isLonger(m.password, 4096)) add(broken, 'password', 'max_len', 'must be at most 4096 characters')
}

function instanceScaleInstanceRequest(m: instance_v1_instance.ScaleInstanceRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.replicas === undefined) add(broken, 'replicas', 'missing_parameter', 'is required')
  else if (!(m.replicas <= 64)) add(broken, 'replicas', 'max', 'must be at most 64')
}

function instanceWatchInstanceLogsRequest(m: instance_v1_instance_log.WatchInstanceLogsRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.tail !== undefined) {
    if (!(m.tail <= 100000)) add(broken, 'tail', 'max', 'must be at most 100000')
  }
  if (m.replica !== undefined) {
    if (!(m.replica <= 63)) add(broken, 'replica', 'max', 'must be at most 63')
  }
  if (m.after !== undefined) {
    if (!(m.after <= 9007199254740991n)) add(broken, 'after', 'max', 'must be at most 9007199254740991')
  }
}

function leaseArtifactRef(m: lease_v1_lease_service.ArtifactRef, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'missing_parameter', 'is required')
  else {
    if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
    if (m.name.length <= 256 && !pattern10.test(m.name)) add(broken, 'name', 'pattern', 'does not match regex pattern `^[^/\\\\\\x00-\\x1f]+$`')
  }
  if (m.mediaType === '') add(broken, 'media_type', 'missing_parameter', 'is required')
  else {
    if (isLonger(m.mediaType, 128)) add(broken, 'media_type', 'max_len', 'must be at most 128 characters')
    if (m.mediaType.length <= 256 && !pattern11.test(m.mediaType)) add(broken, 'media_type', 'pattern', 'does not match regex pattern `^[\\w.+-]+/[\\w.+-]+(; ?[\\w.+-]+=[\\w.+-]+)?$`')
  }
}

function leaseClaimRequest(m: lease_v1_lease_service.ClaimRequest, broken: BrokenRule[]): void {
  if (m.executorId === '') add(broken, 'executor_id', 'missing_parameter', 'is required')
  else if (!pattern12.test(m.executorId)) add(broken, 'executor_id', 'pattern', 'does not match regex pattern `^[\\w-]{1,64}$`')
  if (m.pool === '') add(broken, 'pool', 'missing_parameter', 'is required')
  else if (!pattern13.test(m.pool)) add(broken, 'pool', 'pattern', 'does not match regex pattern `^(live|test)/[a-z0-9_-]{1,32}$`')
  if (!(m.runs <= 64)) add(broken, 'runs', 'max', 'must be at most 64')
  if (!(m.waitMs <= 60000)) add(broken, 'wait_ms', 'max', 'must be at most 60000')
  if (m.busyGroups.length > 64) add(broken, 'busy_groups', 'too_many', 'must contain no more than 64 item(s)')
  else {
    for (const [at, item] of m.busyGroups.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `busy_groups[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 128)) add(broken, `busy_groups[${at}]`, 'max_len', 'must be at most 128 characters')
    }
  }
  if (m.device !== undefined) {
    inside(m.device, 'device', leaseDevice, broken)
  }
  if (!pattern14.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^(acct_[0-9a-z]{1,26}/(live|test))?$`')
}

function leaseDevice(m: lease_v1_lease_service.Device, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  else if (isLonger(m.id, 128)) add(broken, 'id', 'max_len', 'must be at most 128 characters')
  if (m.gpuType === '') add(broken, 'gpu_type', 'missing_parameter', 'is required')
  else if (!pattern15.test(m.gpuType)) add(broken, 'gpu_type', 'pattern', 'does not match regex pattern `^[a-z0-9][a-z0-9-]{0,62}$`')
  if (isLonger(m.name, 128)) add(broken, 'name', 'max_len', 'must be at most 128 characters')
  if (m.provider === '') add(broken, 'provider', 'missing_parameter', 'is required')
  else if (!['webgpu', 'cuda'].includes(m.provider)) add(broken, 'provider', 'not_in', 'must be in list [webgpu, cuda]')
}

function leaseDocumentRef(m: lease_v1_owner_service.DocumentRef, broken: BrokenRule[]): void {
  if (m.collection === '') add(broken, 'collection', 'missing_parameter', 'is required')
  else if (!pattern16.test(m.collection)) add(broken, 'collection', 'pattern', 'does not match regex pattern `^[a-z][a-z0-9_]{0,63}$`')
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  else if (isLonger(m.id, 128)) add(broken, 'id', 'max_len', 'must be at most 128 characters')
}

function leaseEmission(m: lease_v1_emission.Emission, broken: BrokenRule[]): void {
  if (m.content.case === 'output') {
    if (isOverBytes(m.content.value, 65536)) add(broken, 'output', 'too_large', 'must be at most 65536 bytes')
  }
  if (m.content.case === 'log') {
    if (isOverBytes(m.content.value, 8192)) add(broken, 'log', 'too_large', 'must be at most 8192 bytes')
  }
  if (m.content.case === 'progress') {
    inside(m.content.value, 'progress', leaseRunProgress, broken)
  }
  if (m.content.case === undefined) add(broken, 'content', 'missing_parameter', 'is required')
}

function leaseEmitRequest(m: lease_v1_lease_service.EmitRequest, broken: BrokenRule[]): void {
  if (m.executorId === '') add(broken, 'executor_id', 'missing_parameter', 'is required')
  else if (!pattern12.test(m.executorId)) add(broken, 'executor_id', 'pattern', 'does not match regex pattern `^[\\w-]{1,64}$`')
  if (m.runs.length > 1000) add(broken, 'runs', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.runs, 'runs', leaseRunEmissions, broken)
}

function leaseFailure(m: lease_v1_lease.Failure, broken: BrokenRule[]): void {
  if (m.code === '') add(broken, 'code', 'missing_parameter', 'is required')
  else if (!pattern16.test(m.code)) add(broken, 'code', 'pattern', 'does not match regex pattern `^[a-z][a-z0-9_]{0,63}$`')
  if (isLonger(m.message, 2048)) add(broken, 'message', 'max_len', 'must be at most 2048 characters')
}

function leaseFinishRequest(m: lease_v1_lease_service.FinishRequest, broken: BrokenRule[]): void {
  if (m.executorId === '') add(broken, 'executor_id', 'missing_parameter', 'is required')
  else if (!pattern12.test(m.executorId)) add(broken, 'executor_id', 'pattern', 'does not match regex pattern `^[\\w-]{1,64}$`')
  if (m.results.length > 1000) add(broken, 'results', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.results, 'results', leaseResult, broken)
  if (isLonger(m.pool, 64)) add(broken, 'pool', 'max_len', 'must be at most 64 characters')
}

function leaseJoinPartsRequest(m: lease_v1_lease_service.JoinPartsRequest, broken: BrokenRule[]): void {
  if (m.run === undefined) add(broken, 'run', 'missing_parameter', 'is required')
  else inside(m.run, 'run', leaseRunRef, broken)
}

function leaseLinesPart(m: lease_v1_lease_service.LinesPart, broken: BrokenRule[]): void {
  if (m.run === undefined) add(broken, 'run', 'missing_parameter', 'is required')
  else inside(m.run, 'run', leaseRunRef, broken)
  if (!(m.count >= 1)) add(broken, 'count', 'min', 'must be at least 1')
}

function leaseReadInputRequest(m: lease_v1_lease_service.ReadInputRequest, broken: BrokenRule[]): void {
  if (m.run === undefined) add(broken, 'run', 'missing_parameter', 'is required')
  else inside(m.run, 'run', leaseRunRef, broken)
}

function leaseReadModelRequest(m: lease_v1_lease_service.ReadModelRequest, broken: BrokenRule[]): void {
  if (m.run === undefined) add(broken, 'run', 'missing_parameter', 'is required')
  else inside(m.run, 'run', leaseRunRef, broken)
}

function leaseRenewRequest(m: lease_v1_lease_service.RenewRequest, broken: BrokenRule[]): void {
  if (m.executorId === '') add(broken, 'executor_id', 'missing_parameter', 'is required')
  else if (!pattern12.test(m.executorId)) add(broken, 'executor_id', 'pattern', 'does not match regex pattern `^[\\w-]{1,64}$`')
  if (m.leases.length > 1000) add(broken, 'leases', 'too_many', 'must contain no more than 1000 item(s)')
  else each(m.leases, 'leases', leaseRenewal, broken)
  if (isLonger(m.pool, 64)) add(broken, 'pool', 'max_len', 'must be at most 64 characters')
}

function leaseRenewal(m: lease_v1_lease_service.Renewal, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  else if (isLonger(m.id, 64)) add(broken, 'id', 'max_len', 'must be at most 64 characters')
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.workId === '') add(broken, 'work_id', 'missing_parameter', 'is required')
  else if (!pattern17.test(m.workId)) add(broken, 'work_id', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}$`')
}

function leaseReserveRequest(m: lease_v1_lease_service.ReserveRequest, broken: BrokenRule[]): void {
  if (m.run === undefined) add(broken, 'run', 'missing_parameter', 'is required')
  else inside(m.run, 'run', leaseRunRef, broken)
  if (!(m.modelCostMicros <= 1000000000)) add(broken, 'model_cost_micros', 'max', 'must be at most 1000000000')
}

function leaseResult(m: lease_v1_lease.Result, broken: BrokenRule[]): void {
  if (m.leaseId === '') add(broken, 'lease_id', 'missing_parameter', 'is required')
  else if (isLonger(m.leaseId, 64)) add(broken, 'lease_id', 'max_len', 'must be at most 64 characters')
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.workId === '') add(broken, 'work_id', 'missing_parameter', 'is required')
  else if (!pattern17.test(m.workId)) add(broken, 'work_id', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}$`')
  if (m.attempt === 0) add(broken, 'attempt', 'missing_parameter', 'is required')
  if (m.outcome.case === 'output') {
    if (isOverBytes(m.outcome.value, 262144)) add(broken, 'output', 'too_large', 'must be at most 262144 bytes')
  }
  if (m.outcome.case === 'failure') {
    inside(m.outcome.value, 'failure', leaseFailure, broken)
  }
  if (m.outcome.case === 'outputFile') {
    if (!pattern18.test(m.outcome.value)) add(broken, 'output_file', 'pattern', 'does not match regex pattern `^file_[0-9a-z]{26}$`')
  }
  if (!(m.computeMs <= 604800000)) add(broken, 'compute_ms', 'max', 'must be at most 604800000')
  if (isLonger(m.engineName, 128)) add(broken, 'engine_name', 'max_len', 'must be at most 128 characters')
  if (isLonger(m.provider, 64)) add(broken, 'provider', 'max_len', 'must be at most 64 characters')
  if (isLonger(m.groupVersion, 128)) add(broken, 'group_version', 'max_len', 'must be at most 128 characters')
  if (!pattern19.test(m.engineKind)) add(broken, 'engine_kind', 'pattern', 'does not match regex pattern `^[a-z0-9_]{0,32}$`')
  if (m.artifactFiles.length > 32) add(broken, 'artifact_files', 'too_many', 'must contain no more than 32 item(s)')
  else {
    for (const [at, item] of m.artifactFiles.entries()) {
      if (isEnough(broken)) break
      if (!pattern18.test(item)) add(broken, `artifact_files[${at}]`, 'pattern', 'does not match regex pattern `^file_[0-9a-z]{26}$`')
    }
  }
  if (!(m.inputTokens <= 1000000000)) add(broken, 'input_tokens', 'max', 'must be at most 1000000000')
  if (!(m.outputTokens <= 1000000000)) add(broken, 'output_tokens', 'max', 'must be at most 1000000000')
  if (!(m.modelCostMicros <= 1000000000)) add(broken, 'model_cost_micros', 'max', 'must be at most 1000000000')
  if (!pattern20.test(m.gpuType)) add(broken, 'gpu_type', 'pattern', 'does not match regex pattern `^([a-z0-9][a-z0-9-]{0,62})?$`')
  if (m.instanceId !== undefined) {
    if (!pattern21.test(m.instanceId)) add(broken, 'instance_id', 'pattern', 'does not match regex pattern `^inst_[0-9a-z]{26}$`')
  }
  if (m.traceparent !== undefined) {
    if (!pattern22.test(m.traceparent)) add(broken, 'traceparent', 'pattern', 'does not match regex pattern `^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`')
  }
  if (!pattern23.test(m.partialOutputFile)) add(broken, 'partial_output_file', 'pattern', 'does not match regex pattern `^(file_[0-9a-z]{26})?$`')
  if (m.outcome.case === undefined) add(broken, 'outcome', 'missing_parameter', 'is required')
}

function leaseRingRequest(m: lease_v1_owner_service.RingRequest, broken: BrokenRule[]): void {
  if (m.documents.length > 10000) add(broken, 'documents', 'too_many', 'must contain no more than 10000 item(s)')
  else each(m.documents, 'documents', leaseDocumentRef, broken)
}

function leaseRunEmissions(m: lease_v1_emission.RunEmissions, broken: BrokenRule[]): void {
  if (m.leaseId === '') add(broken, 'lease_id', 'missing_parameter', 'is required')
  else if (isLonger(m.leaseId, 64)) add(broken, 'lease_id', 'max_len', 'must be at most 64 characters')
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.workId === '') add(broken, 'work_id', 'missing_parameter', 'is required')
  else if (!pattern17.test(m.workId)) add(broken, 'work_id', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}$`')
  if (m.attempt === 0) add(broken, 'attempt', 'missing_parameter', 'is required')
  if (m.emissions.length > 1000) add(broken, 'emissions', 'too_many', 'must contain no more than 1000 item(s)')
  else {
    if (m.emissions.length < 1) add(broken, 'emissions', 'too_few', 'must contain at least 1 item(s)')
    each(m.emissions, 'emissions', leaseEmission, broken)
  }
}

function leaseRunProgress(m: lease_v1_emission.RunProgress, broken: BrokenRule[]): void {
  if (!(m.fraction >= 0 && m.fraction <= 1)) add(broken, 'fraction', m.fraction < 0 ? 'min' : 'max', 'must be from 0 to 1')
  if (m.message !== undefined) {
    if (isLonger(m.message, 512)) add(broken, 'message', 'max_len', 'must be at most 512 characters')
  }
  if (Object.keys(m.metrics).length > 32) add(broken, 'metrics', 'too_many', 'must have at most 32 entries')
  else {
    for (const [key, value] of Object.entries(m.metrics)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metrics', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metrics', key), 'max_len', 'must be at most 64 characters', 'key')
      if (!Number.isFinite(value)) add(broken, entryPath('metrics', key), 'finite', 'must be finite')
    }
  }
}

function leaseRunRef(m: lease_v1_lease.RunRef, broken: BrokenRule[]): void {
  if (m.leaseId === '') add(broken, 'lease_id', 'missing_parameter', 'is required')
  else if (isLonger(m.leaseId, 64)) add(broken, 'lease_id', 'max_len', 'must be at most 64 characters')
  if (m.tenant === '') add(broken, 'tenant', 'missing_parameter', 'is required')
  else if (!pattern9.test(m.tenant)) add(broken, 'tenant', 'pattern', 'does not match regex pattern `^acct_[0-9a-z]{1,26}/(live|test)$`')
  if (m.workId === '') add(broken, 'work_id', 'missing_parameter', 'is required')
  else if (!pattern17.test(m.workId)) add(broken, 'work_id', 'pattern', 'does not match regex pattern `^[a-z]{1,8}_[0-9a-z]{1,26}$`')
  if (m.attempt === 0) add(broken, 'attempt', 'missing_parameter', 'is required')
}

function leaseStoreOutputRequest(m: lease_v1_lease_service.StoreOutputRequest, broken: BrokenRule[]): void {
  if (m.part.case === 'run') {
    inside(m.part.value, 'run', leaseRunRef, broken)
  }
  if (m.part.case === 'data') {
    if (m.part.value.length > 1048576) add(broken, 'data', 'max_len', 'must be at most 1048576 bytes')
  }
  if (m.artifact !== undefined) {
    inside(m.artifact, 'artifact', leaseArtifactRef, broken)
  }
  if (m.part.case === undefined) add(broken, 'part', 'missing_parameter', 'is required')
}

function leaseStorePartRequest(m: lease_v1_lease_service.StorePartRequest, broken: BrokenRule[]): void {
  if (m.part.case === 'lines') {
    inside(m.part.value, 'lines', leaseLinesPart, broken)
  }
  if (m.part.case === 'data') {
    if (m.part.value.length > 1048576) add(broken, 'data', 'max_len', 'must be at most 1048576 bytes')
  }
  if (m.part.case === undefined) add(broken, 'part', 'missing_parameter', 'is required')
}

function statusObserved(m: status_v1_status_service.Observed, broken: BrokenRule[]): void {
  if (m.name === '') add(broken, 'name', 'min_len', 'must not be empty')
  if (isLonger(m.name, 64)) add(broken, 'name', 'max_len', 'must be at most 64 characters')
  if (!(m.upMs >= 0)) add(broken, 'up_ms', m.upMs < 0 ? 'min' : 'max', 'must be at least 0')
  if (!Number.isFinite(m.upMs)) add(broken, 'up_ms', 'finite', 'must be finite')
  if (!(m.downMs >= 0)) add(broken, 'down_ms', m.downMs < 0 ? 'min' : 'max', 'must be at least 0')
  if (!Number.isFinite(m.downMs)) add(broken, 'down_ms', 'finite', 'must be finite')
}

function statusReportRequest(m: status_v1_status_service.ReportRequest, broken: BrokenRule[]): void {
  if (m.gatewayId === '') add(broken, 'gateway_id', 'min_len', 'must not be empty')
  if (isLonger(m.gatewayId, 64)) add(broken, 'gateway_id', 'max_len', 'must be at most 64 characters')
  if (!pattern6.test(m.day)) add(broken, 'day', 'pattern', 'does not match regex pattern `^\\d{4}-\\d{2}-\\d{2}$`')
  if (m.components.length > 64) add(broken, 'components', 'too_many', 'must contain no more than 64 item(s)')
  else each(m.components, 'components', statusObserved, broken)
}

function webhookCreateWebhookRequest(m: webhook_v1_webhook.CreateWebhookRequest, broken: BrokenRule[]): void {
  if (m.url === '') add(broken, 'url', 'missing_parameter', 'is required')
  else if (isLonger(m.url, 2048)) add(broken, 'url', 'max_len', 'must be at most 2048 characters')
  if (m.events.length === 0) add(broken, 'events', 'missing_parameter', 'is required')
  else {
    if (m.events.length > 50) add(broken, 'events', 'too_many', 'must contain no more than 50 item(s)')
    else {
      if (m.events.length < 1) add(broken, 'events', 'too_few', 'must contain at least 1 item(s)')
      if (hasRepeats(m.events)) add(broken, 'events', 'not_unique', 'must contain unique items')
      for (const [at, item] of m.events.entries()) {
        if (isEnough(broken)) break
        if (item === '') add(broken, `events[${at}]`, 'min_len', 'must not be empty')
        if (isLonger(item, 64)) add(broken, `events[${at}]`, 'max_len', 'must be at most 64 characters')
      }
    }
  }
  if (m.description !== undefined) {
    if (isLonger(m.description, 512)) add(broken, 'description', 'max_len', 'must be at most 512 characters')
  }
  if (m.signature !== undefined) {
    if (![0, 1, 2].includes(m.signature)) add(broken, 'signature', 'not_in', 'must be one of v1, v1a')
    if ([0].includes(m.signature)) add(broken, 'signature', 'not_in', 'must be one of v1, v1a')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
}

function webhookDeleteWebhookRequest(m: webhook_v1_webhook.DeleteWebhookRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookGetDeliveryRequest(m: webhook_v1_delivery.GetDeliveryRequest, broken: BrokenRule[]): void {
  if (m.webhookId === '') add(broken, 'webhook_id', 'missing_parameter', 'is required')
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookGetEventRequest(m: webhook_v1_archive.GetEventRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookGetWebhookRequest(m: webhook_v1_webhook.GetWebhookRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookListDeliveriesRequest(m: webhook_v1_delivery.ListDeliveriesRequest, broken: BrokenRule[]): void {
  if (m.webhookId === '') add(broken, 'webhook_id', 'missing_parameter', 'is required')
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2, 3, 4, 5].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, succeeded, failed, cancelled')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, succeeded, failed, cancelled')
  }
  if (m.eventId !== undefined) {
    if (m.eventId === '') add(broken, 'event_id', 'min_len', 'must not be empty')
    if (isLonger(m.eventId, 64)) add(broken, 'event_id', 'max_len', 'must be at most 64 characters')
  }
}

function webhookListEventsRequest(m: webhook_v1_archive.ListEventsRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.type !== undefined) {
    if (m.type === '') add(broken, 'type', 'min_len', 'must not be empty')
    if (isLonger(m.type, 64)) add(broken, 'type', 'max_len', 'must be at most 64 characters')
  }
  if (m.resourceId !== undefined) {
    if (m.resourceId === '') add(broken, 'resource_id', 'min_len', 'must not be empty')
    if (isLonger(m.resourceId, 64)) add(broken, 'resource_id', 'max_len', 'must be at most 64 characters')
  }
}

function webhookListWebhooksRequest(m: webhook_v1_webhook.ListWebhooksRequest, broken: BrokenRule[]): void {
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of enabled, disabled')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of enabled, disabled')
  }
}

function webhookReplayWebhookRequest(m: webhook_v1_webhook.ReplayWebhookRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.since === undefined) add(broken, 'since', 'missing_parameter', 'is required')
  if (m.types.length > 50) add(broken, 'types', 'too_many', 'must contain no more than 50 item(s)')
  else {
    if (hasRepeats(m.types)) add(broken, 'types', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.types.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `types[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 64)) add(broken, `types[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
}

function webhookRetryDeliveryRequest(m: webhook_v1_delivery.RetryDeliveryRequest, broken: BrokenRule[]): void {
  if (m.webhookId === '') add(broken, 'webhook_id', 'missing_parameter', 'is required')
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookRotateWebhookSecretRequest(m: webhook_v1_webhook.RotateWebhookSecretRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookTestWebhookRequest(m: webhook_v1_webhook.TestWebhookRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function webhookUpdateWebhookRequest(m: webhook_v1_webhook.UpdateWebhookRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.url !== undefined) {
    if (m.url === '') add(broken, 'url', 'min_len', 'must not be empty')
    if (isLonger(m.url, 2048)) add(broken, 'url', 'max_len', 'must be at most 2048 characters')
  }
  if (m.events.length > 50) add(broken, 'events', 'too_many', 'must contain no more than 50 item(s)')
  else {
    if (hasRepeats(m.events)) add(broken, 'events', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.events.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `events[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 64)) add(broken, `events[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
  if (m.description !== undefined) {
    if (isLonger(m.description, 512)) add(broken, 'description', 'max_len', 'must be at most 512 characters')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of enabled, disabled')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of enabled, disabled')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
}

function workforceCancelWorkforceTaskRequest(m: workforce_v1_task.CancelWorkforceTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function workforceConstraints(m: workforce_v1_task.Constraints, broken: BrokenRule[]): void {
  if (m.minWords !== undefined) {
    if (!(m.minWords >= 1 && m.minWords <= 20000)) add(broken, 'min_words', m.minWords < 1 ? 'min' : 'max', 'must be from 1 to 20000')
  }
  if (m.maxWords !== undefined) {
    if (!(m.maxWords >= 1 && m.maxWords <= 20000)) add(broken, 'max_words', m.maxWords < 1 ? 'min' : 'max', 'must be from 1 to 20000')
  }
  if (m.mustInclude.length > 50) add(broken, 'must_include', 'too_many', 'must contain no more than 50 item(s)')
  else {
    if (hasRepeats(m.mustInclude)) add(broken, 'must_include', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.mustInclude.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `must_include[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 200)) add(broken, `must_include[${at}]`, 'max_len', 'must be at most 200 characters')
    }
  }
  if (m.avoid.length > 50) add(broken, 'avoid', 'too_many', 'must contain no more than 50 item(s)')
  else {
    if (hasRepeats(m.avoid)) add(broken, 'avoid', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.avoid.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `avoid[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 200)) add(broken, `avoid[${at}]`, 'max_len', 'must be at most 200 characters')
    }
  }
}

function workforceCreateWorkforceStreamTokenRequest(m: workforce_v1_task_stream.CreateWorkforceStreamTokenRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function workforceCreateWorkforceTaskRequest(m: workforce_v1_task.CreateWorkforceTaskRequest, broken: BrokenRule[]): void {
  if (m.employee === '') add(broken, 'employee', 'missing_parameter', 'is required')
  else if (isLonger(m.employee, 64)) add(broken, 'employee', 'max_len', 'must be at most 64 characters')
  if (m.task === '') add(broken, 'task', 'missing_parameter', 'is required')
  else if (isLonger(m.task, 64)) add(broken, 'task', 'max_len', 'must be at most 64 characters')
  if (m.topic !== undefined) {
    if (m.topic === '') add(broken, 'topic', 'min_len', 'must not be empty')
    if (isLonger(m.topic, 4000)) add(broken, 'topic', 'max_len', 'must be at most 4000 characters')
  }
  if (m.tone !== undefined) {
    if (m.tone === '') add(broken, 'tone', 'min_len', 'must not be empty')
    if (isLonger(m.tone, 200)) add(broken, 'tone', 'max_len', 'must be at most 200 characters')
  }
  if (m.language !== undefined) {
    if (isLonger(m.language, 64)) add(broken, 'language', 'max_len', 'must be at most 64 characters')
    if (m.language.length <= 128 && !pattern24.test(m.language)) add(broken, 'language', 'pattern', 'does not match regex pattern `^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`')
  }
  if (m.audience !== undefined) {
    if (m.audience === '') add(broken, 'audience', 'min_len', 'must not be empty')
    if (isLonger(m.audience, 500)) add(broken, 'audience', 'max_len', 'must be at most 500 characters')
  }
  if (m.constraints !== undefined) {
    inside(m.constraints, 'constraints', workforceConstraints, broken)
  }
  if (m.files.length > 20) add(broken, 'files', 'too_many', 'must contain no more than 20 item(s)')
  else {
    if (hasRepeats(m.files)) add(broken, 'files', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.files.entries()) {
      if (isEnough(broken)) break
      if (item === '') add(broken, `files[${at}]`, 'min_len', 'must not be empty')
      if (isLonger(item, 64)) add(broken, `files[${at}]`, 'max_len', 'must be at most 64 characters')
    }
  }
  if (m.engine !== undefined) {
    if (![0, 1, 2, 3].includes(m.engine)) add(broken, 'engine', 'not_in', 'must be one of auto, llm, rules')
    if ([0].includes(m.engine)) add(broken, 'engine', 'not_in', 'must be one of auto, llm, rules')
  }
  if (m.timeoutS !== undefined) {
    if (!(m.timeoutS >= 1 && m.timeoutS <= 3600)) add(broken, 'timeout_s', m.timeoutS < 1 ? 'min' : 'max', 'must be from 1 to 3600')
  }
  if (m.callback !== undefined) {
    inside(m.callback, 'callback', computeTaskCallback, broken)
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
}

function workforceDeleteWorkforceTaskDataRequest(m: workforce_v1_task.DeleteWorkforceTaskDataRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function workforceGetWorkforceTaskRequest(m: workforce_v1_task.GetWorkforceTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
}

function workforceListWorkforceTasksRequest(m: workforce_v1_task.ListWorkforceTasksRequest, broken: BrokenRule[]): void {
  if (m.employee === '') add(broken, 'employee', 'missing_parameter', 'is required')
  if (m.limit !== undefined) {
    if (!(m.limit >= 1 && m.limit <= 100)) add(broken, 'limit', m.limit < 1 ? 'min' : 'max', 'must be from 1 to 100')
  }
  if (m.cursor !== undefined) {
    if (m.cursor === '') add(broken, 'cursor', 'min_len', 'must not be empty')
    if (isLonger(m.cursor, 2048)) add(broken, 'cursor', 'max_len', 'must be at most 2048 characters')
  }
  if (m.order !== undefined) {
    if (![0, 1, 2].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
    if ([0].includes(m.order)) add(broken, 'order', 'not_in', 'must be one of desc, asc')
  }
  if (m.status !== undefined) {
    if (![0, 1, 2, 3, 4, 5, 6, 7].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, cancelling, succeeded, failed, cancelled, expired')
    if ([0].includes(m.status)) add(broken, 'status', 'not_in', 'must be one of queued, running, cancelling, succeeded, failed, cancelled, expired')
  }
  if (m.task !== undefined) {
    if (m.task === '') add(broken, 'task', 'min_len', 'must not be empty')
    if (isLonger(m.task, 64)) add(broken, 'task', 'max_len', 'must be at most 64 characters')
  }
  if (Object.keys(m.metadata).length > 16) add(broken, 'metadata', 'too_many', 'must have at most 16 entries')
  else {
    for (const [key, value] of Object.entries(m.metadata)) {
      if (isEnough(broken)) break
      if (key === '') add(broken, entryPath('metadata', key), 'min_len', 'must not be empty', 'key')
      if (isLonger(key, 64)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 64 characters', 'key')
      if (isLonger(value, 512)) add(broken, entryPath('metadata', key), 'max_len', 'must be at most 512 characters')
    }
  }
  if (m.include.length > 100) add(broken, 'include', 'too_many', 'must contain no more than 100 item(s)')
  else {
    if (hasRepeats(m.include)) add(broken, 'include', 'not_unique', 'must contain unique items')
    for (const [at, item] of m.include.entries()) {
      if (isEnough(broken)) break
      if (![0, 1, 2].includes(item)) add(broken, `include[${at}]`, 'not_in', 'must be one of input, output')
      if ([0].includes(item)) add(broken, `include[${at}]`, 'not_in', 'must be one of input, output')
    }
  }
  if (m.batchId !== undefined) {
    if (m.batchId === '') add(broken, 'batch_id', 'min_len', 'must not be empty')
    if (isLonger(m.batchId, 64)) add(broken, 'batch_id', 'max_len', 'must be at most 64 characters')
  }
}

function workforceWaitWorkforceTaskRequest(m: workforce_v1_task_stream.WaitWorkforceTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (!(m.timeoutMs <= 60000)) add(broken, 'timeout_ms', 'max', 'must be at most 60000')
}

function workforceWatchWorkforceTaskRequest(m: workforce_v1_task_stream.WatchWorkforceTaskRequest, broken: BrokenRule[]): void {
  if (m.id === '') add(broken, 'id', 'missing_parameter', 'is required')
  if (m.after !== undefined) {
    if (!(m.after <= 9007199254740991n)) add(broken, 'after', 'max', 'must be at most 9007199254740991')
  }
}

function nothing(): void {}

/** The check of each message of a request, by its full name. */

export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['grpc.health.v1.HealthCheckRequest', nothing],
  ['grpc.health.v1.HealthListRequest', nothing],
  ['grpc.reflection.v1.ExtensionRequest', nothing],
  ['grpc.reflection.v1.ServerReflectionRequest', nothing],
  ['millhand.batch.v1.AddTasksRequest', batchAddTasksRequest],
  ['millhand.batch.v1.BatchTask', batchBatchTask],
  ['millhand.batch.v1.CancelBatchRequest', batchCancelBatchRequest],
  ['millhand.batch.v1.CancelTasksRequest', batchCancelTasksRequest],
  ['millhand.batch.v1.CheckTasksRequest', batchCheckTasksRequest],
  ['millhand.batch.v1.CreateBatchRequest', batchCreateBatchRequest],
  ['millhand.batch.v1.GetBatchRequest', batchGetBatchRequest],
  ['millhand.batch.v1.GetTasksRequest', batchGetTasksRequest],
  ['millhand.batch.v1.HoldInputsRequest', batchHoldInputsRequest],
  ['millhand.batch.v1.ListBatchesRequest', batchListBatchesRequest],
  ['millhand.batch.v1.ReleaseInputsRequest', batchReleaseInputsRequest],
  ['millhand.batch.v1.TaskRequest', batchTaskRequest],
  ['millhand.billing.v1.GetBillingRequest', nothing],
  ['millhand.billing.v1.GetInvoiceRequest', billingGetInvoiceRequest],
  ['millhand.billing.v1.GetReachedWorkforceLimitRequest', nothing],
  ['millhand.billing.v1.GetUsageRequest', billingGetUsageRequest],
  ['millhand.billing.v1.ListInvoicesRequest', billingListInvoicesRequest],
  ['millhand.billing.v1.ListLineEntriesRequest', billingListLineEntriesRequest],
  ['millhand.billing.v1.ListReachedLimitsRequest', nothing],
  ['millhand.billing.v1.PostCreditRequest', billingPostCreditRequest],
  ['millhand.billing.v1.ReceiveNotificationRequest', billingReceiveNotificationRequest],
  ['millhand.billing.v1.RenderInvoiceRequest', billingRenderInvoiceRequest],
  ['millhand.billing.v1.SumWorkforceTasksRequest', nothing],
  ['millhand.billing.v1.UpdateLimitsRequest', nothing],
  ['millhand.billing.v1.VerifyLedgerRequest', billingVerifyLedgerRequest],
  ['millhand.compute.v1.CancelTaskRequest', computeCancelTaskRequest],
  ['millhand.compute.v1.CreateModelRequest', computeCreateModelRequest],
  ['millhand.compute.v1.CreateStreamTokenRequest', computeCreateStreamTokenRequest],
  ['millhand.compute.v1.CreateTaskRequest', computeCreateTaskRequest],
  ['millhand.compute.v1.DeleteFileRequest', computeDeleteFileRequest],
  ['millhand.compute.v1.DeleteModelRequest', computeDeleteModelRequest],
  ['millhand.compute.v1.DeleteTaskDataRequest', computeDeleteTaskDataRequest],
  ['millhand.compute.v1.FileDescription', computeFileDescription],
  ['millhand.compute.v1.GetFileContentRequest', computeGetFileContentRequest],
  ['millhand.compute.v1.GetFileRequest', computeGetFileRequest],
  ['millhand.compute.v1.GetModelRequest', computeGetModelRequest],
  ['millhand.compute.v1.GetTaskRequest', computeGetTaskRequest],
  ['millhand.compute.v1.GetTokenRequest', computeGetTokenRequest],
  ['millhand.compute.v1.KeepTaskFileRequest', computeKeepTaskFileRequest],
  ['millhand.compute.v1.ListFilesRequest', computeListFilesRequest],
  ['millhand.compute.v1.ListGpuTypesRequest', nothing],
  ['millhand.compute.v1.ListModelsRequest', computeListModelsRequest],
  ['millhand.compute.v1.ListTasksRequest', computeListTasksRequest],
  ['millhand.compute.v1.RedeemStreamTokenRequest', computeRedeemStreamTokenRequest],
  ['millhand.compute.v1.StoreTaskFileRequest', computeStoreTaskFileRequest],
  ['millhand.compute.v1.TaskCallback', computeTaskCallback],
  ['millhand.compute.v1.TaskFile', computeTaskFile],
  ['millhand.compute.v1.UploadFileRequest', computeUploadFileRequest],
  ['millhand.compute.v1.WaitTaskRequest', computeWaitTaskRequest],
  ['millhand.compute.v1.WatchTaskRequest', computeWatchTaskRequest],
  ['millhand.identity.v1.AuthenticateKeyRequest', identityAuthenticateKeyRequest],
  ['millhand.identity.v1.CompleteRequest', identityCompleteRequest],
  ['millhand.identity.v1.ConsumerUse', identityConsumerUse],
  ['millhand.identity.v1.CreateAccountRequest', identityCreateAccountRequest],
  ['millhand.identity.v1.CreateApiKeyRequest', identityCreateApiKeyRequest],
  ['millhand.identity.v1.CreateConsumerRequest', identityCreateConsumerRequest],
  ['millhand.identity.v1.GetAccountRequest', identityGetAccountRequest],
  ['millhand.identity.v1.GetApiKeyRequest', identityGetApiKeyRequest],
  ['millhand.identity.v1.GetDailyRequest', identityGetDailyRequest],
  ['millhand.identity.v1.KeyRef', nothing],
  ['millhand.identity.v1.KeyUse', identityKeyUse],
  ['millhand.identity.v1.ListAccountsRequest', identityListAccountsRequest],
  ['millhand.identity.v1.ListApiKeysRequest', identityListApiKeysRequest],
  ['millhand.identity.v1.ListChangesRequest', nothing],
  ['millhand.identity.v1.ListConsumersRequest', identityListConsumersRequest],
  ['millhand.identity.v1.ListDailyRequest', identityListDailyRequest],
  ['millhand.identity.v1.ListPlansRequest', nothing],
  ['millhand.identity.v1.Plans', identityPlans],
  ['millhand.identity.v1.ReleaseDailyRequest', identityReleaseDailyRequest],
  ['millhand.identity.v1.ReleaseRequest', identityReleaseRequest],
  ['millhand.identity.v1.RenewRequest', identityRenewRequest],
  ['millhand.identity.v1.ReopenRequest', identityReopenRequest],
  ['millhand.identity.v1.ReportKeyUseRequest', identityReportKeyUseRequest],
  ['millhand.identity.v1.ReserveRequest', identityReserveRequest],
  ['millhand.identity.v1.Revision', nothing],
  ['millhand.identity.v1.RevokeApiKeyRequest', identityRevokeApiKeyRequest],
  ['millhand.identity.v1.RevokeConsumerRequest', identityRevokeConsumerRequest],
  ['millhand.identity.v1.RotateApiKeyRequest', identityRotateApiKeyRequest],
  ['millhand.identity.v1.StoredAnswer', nothing],
  ['millhand.identity.v1.SyncConsumersRequest', identitySyncConsumersRequest],
  ['millhand.identity.v1.TakeDailyRequest', identityTakeDailyRequest],
  ['millhand.identity.v1.TakePlacesRequest', identityTakePlacesRequest],
  ['millhand.identity.v1.UpdateAccountRequest', identityUpdateAccountRequest],
  ['millhand.identity.v1.UpdatePlansRequest', identityUpdatePlansRequest],
  ['millhand.identity.v1.WindowRequest', identityWindowRequest],
  ['millhand.instance.v1.AdmitExecutorRequest', instanceAdmitExecutorRequest],
  ['millhand.instance.v1.CheckExecutorRequest', instanceCheckExecutorRequest],
  ['millhand.instance.v1.CreateInstanceRequest', instanceCreateInstanceRequest],
  ['millhand.instance.v1.DeleteInstanceRequest', instanceDeleteInstanceRequest],
  ['millhand.instance.v1.ExecutorReplica', instanceExecutorReplica],
  ['millhand.instance.v1.GetInstanceRequest', instanceGetInstanceRequest],
  ['millhand.instance.v1.ListCapacityRequest', nothing],
  ['millhand.instance.v1.ListInstanceEventsRequest', instanceListInstanceEventsRequest],
  ['millhand.instance.v1.ListInstancesRequest', instanceListInstancesRequest],
  ['millhand.instance.v1.RegistryCredential', instanceRegistryCredential],
  ['millhand.instance.v1.ScaleInstanceRequest', instanceScaleInstanceRequest],
  ['millhand.instance.v1.WatchInstanceLogsRequest', instanceWatchInstanceLogsRequest],
  ['millhand.lease.v1.ArtifactRef', leaseArtifactRef],
  ['millhand.lease.v1.ClaimRequest', leaseClaimRequest],
  ['millhand.lease.v1.Device', leaseDevice],
  ['millhand.lease.v1.DocumentRef', leaseDocumentRef],
  ['millhand.lease.v1.Emission', leaseEmission],
  ['millhand.lease.v1.EmitRequest', leaseEmitRequest],
  ['millhand.lease.v1.Failure', leaseFailure],
  ['millhand.lease.v1.FinishRequest', leaseFinishRequest],
  ['millhand.lease.v1.JoinPartsRequest', leaseJoinPartsRequest],
  ['millhand.lease.v1.LinesPart', leaseLinesPart],
  ['millhand.lease.v1.ReadInputRequest', leaseReadInputRequest],
  ['millhand.lease.v1.ReadModelRequest', leaseReadModelRequest],
  ['millhand.lease.v1.RenewRequest', leaseRenewRequest],
  ['millhand.lease.v1.Renewal', leaseRenewal],
  ['millhand.lease.v1.ReserveRequest', leaseReserveRequest],
  ['millhand.lease.v1.Result', leaseResult],
  ['millhand.lease.v1.RingRequest', leaseRingRequest],
  ['millhand.lease.v1.RunEmissions', leaseRunEmissions],
  ['millhand.lease.v1.RunProgress', leaseRunProgress],
  ['millhand.lease.v1.RunRef', leaseRunRef],
  ['millhand.lease.v1.StoreOutputRequest', leaseStoreOutputRequest],
  ['millhand.lease.v1.StorePartRequest', leaseStorePartRequest],
  ['millhand.rpc.v1.Answer', nothing],
  ['millhand.rpc.v1.Begin', nothing],
  ['millhand.rpc.v1.End', nothing],
  ['millhand.rpc.v1.Fault', nothing],
  ['millhand.rpc.v1.Frame', nothing],
  ['millhand.rpc.v1.Frames', nothing],
  ['millhand.rpc.v1.Hello', nothing],
  ['millhand.rpc.v1.Lines', nothing],
  ['millhand.status.v1.GetHistoryRequest', nothing],
  ['millhand.status.v1.Observed', statusObserved],
  ['millhand.status.v1.ReportRequest', statusReportRequest],
  ['millhand.type.v1.Money', nothing],
  ['millhand.webhook.v1.CreateWebhookRequest', webhookCreateWebhookRequest],
  ['millhand.webhook.v1.DeleteWebhookRequest', webhookDeleteWebhookRequest],
  ['millhand.webhook.v1.GetBacklogRequest', nothing],
  ['millhand.webhook.v1.GetCallbackSecretRequest', nothing],
  ['millhand.webhook.v1.GetDeliveryRequest', webhookGetDeliveryRequest],
  ['millhand.webhook.v1.GetEventRequest', webhookGetEventRequest],
  ['millhand.webhook.v1.GetWebhookRequest', webhookGetWebhookRequest],
  ['millhand.webhook.v1.ListDeliveriesRequest', webhookListDeliveriesRequest],
  ['millhand.webhook.v1.ListEventsRequest', webhookListEventsRequest],
  ['millhand.webhook.v1.ListWebhooksRequest', webhookListWebhooksRequest],
  ['millhand.webhook.v1.ReplayWebhookRequest', webhookReplayWebhookRequest],
  ['millhand.webhook.v1.RetryDeliveryRequest', webhookRetryDeliveryRequest],
  ['millhand.webhook.v1.RotateCallbackSecretRequest', nothing],
  ['millhand.webhook.v1.RotateWebhookSecretRequest', webhookRotateWebhookSecretRequest],
  ['millhand.webhook.v1.TestWebhookRequest', webhookTestWebhookRequest],
  ['millhand.webhook.v1.UpdateWebhookRequest', webhookUpdateWebhookRequest],
  ['millhand.workforce.v1.CancelWorkforceTaskRequest', workforceCancelWorkforceTaskRequest],
  ['millhand.workforce.v1.Constraints', workforceConstraints],
  ['millhand.workforce.v1.CreateWorkforceStreamTokenRequest', workforceCreateWorkforceStreamTokenRequest],
  ['millhand.workforce.v1.CreateWorkforceTaskRequest', workforceCreateWorkforceTaskRequest],
  ['millhand.workforce.v1.DeleteWorkforceTaskDataRequest', workforceDeleteWorkforceTaskDataRequest],
  ['millhand.workforce.v1.GetWorkforceTaskRequest', workforceGetWorkforceTaskRequest],
  ['millhand.workforce.v1.GetWorkforceUsageRequest', nothing],
  ['millhand.workforce.v1.ListEmployeesRequest', nothing],
  ['millhand.workforce.v1.ListWorkforceTasksRequest', workforceListWorkforceTasksRequest],
  ['millhand.workforce.v1.WaitWorkforceTaskRequest', workforceWaitWorkforceTaskRequest],
  ['millhand.workforce.v1.WatchWorkforceTaskRequest', workforceWatchWorkforceTaskRequest],
])
