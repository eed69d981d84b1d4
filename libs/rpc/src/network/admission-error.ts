/** Why a process is not let in: errors about the hop between two processes. */
import { ConnectError } from '@connectrpc/connect'
import { type ProblemCode, problems } from '@millhand/api'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'

/** Codes of the catalogue that a process can be refused with. */
export type RefusalCode = Extract<
  ProblemCode,
  'missing_credentials' | 'invalid_credentials' | 'expired_credentials' | 'insufficient_scope' | 'unavailable'
>

/**
 * An error of the catalogue that is about the calling process, not about the user whom it calls for. Its ErrorInfo says
 * so by its domain: a gateway with a wrong token must not tell its users that their keys are wrong, and `problemOf`
 * makes `internal` of whatever is not of the users' domain.
 */
export function refusal(code: RefusalCode, detail: string): ConnectError {
  return new ConnectError(detail, problems[code].connect, undefined, [
    { desc: ErrorInfoSchema, value: { reason: code, domain: refusalDomain } },
  ])
}

const refusalDomain = 'service.millhand'
