export { ignoreAcceptErrors } from './accept-errors.ts'
export { isInProcess } from './call.ts'
export {
  createDirectTransport,
  type DirectTransport,
  type DirectTransportOptions,
  type Routes,
} from './direct-transport.ts'
export { drainingKey } from './network/draining.ts'
export { idOf, operationKey, waitMsKey } from './operation.ts'
export {
  type ConfinedExecutor,
  confinedExecutorKey,
  hasScope,
  type Principal,
  principal,
  principalKey,
  requestIdKey,
} from './principal.ts'
export { reachedLimitKey } from './reached-limit.ts'
export { routeByService } from './route-by-service.ts'
export { serve } from './serve.ts'
export { callSpan, endFailedCall, traceKey, withClientSpans } from './trace.ts'
export { check, violations } from './validation/validation.ts'
