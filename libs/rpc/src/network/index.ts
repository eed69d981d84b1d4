export { binaryOptions } from '../binary-options.ts'
export {
  type Admission,
  type AdmissionOptions,
  createAdmission,
  type HeaderLines,
  type TokenCarrier,
} from './admission.ts'
export { type ConsumerDirectory, createConsumerDirectory } from './consumers/consumer-directory.ts'
export { type CredentialsIssuer, createCredentialsIssuer, type Grant } from './credentials.ts'
export { drainingKey } from './draining.ts'
export { grpcTrailer } from './grpc-message.ts'
export { healthService } from './health-service.ts'
export { http2Limits } from './http2-limits.ts'
export {
  type ExtraRoutes,
  type NetworkServer,
  type NetworkServerOptions,
  reportFailures,
  type ServerTls,
  serveNetwork,
} from './network-server.ts'
export {
  type ClientTls,
  createNetworkTransport,
  type NetworkTransport,
  type NetworkTransportOptions,
} from './network-transport.ts'
export { type OutgoingHeaders, outgoingHeaders, sendHeaders } from './outgoing-headers.ts'
export { reflectionService } from './reflection-service.ts'
export { allOf, createTokenIssuer, createTokenReader, ownGrant, type ServiceGrant } from './service-token.ts'
export { createSessions, defaultKeepAlive, type KeepAlive } from './sessions.ts'
export { deriveSecret, isPublicKey } from './signature.ts'
export { createPrincipalSigner } from './signed-principal.ts'
