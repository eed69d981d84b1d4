export {
  createDirectTransport,
  type DirectTransport,
  type DirectTransportOptions,
  type Routes,
} from './direct-transport.ts'
export { drainingKey } from './network/draining.ts'
export { type Principal, principal, principalKey, requestIdKey } from './principal.ts'
export { serve } from './serve.ts'
export { violations } from './validation.ts'
