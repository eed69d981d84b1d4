import { Code, ConnectError } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'

/** Whether a request was refused because it breaks the rules of the contract: it would be again. */
export const isContractViolation = (error: unknown): boolean => {
  const { code } = ConnectError.from(error)
  return code === Code.InvalidArgument || codeOf(error) === 'payload_too_large'
}
