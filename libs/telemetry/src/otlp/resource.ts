import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import { attributes } from '../tracing/span-names.ts'

/** What is sent says this of its process. `service` where the environment does not name it. */
export function resourceOf(service: string | undefined): Resource {
  const detected = detectResources({ detectors: [envDetector, hostDetector, serviceInstanceIdDetector] })
  const resource = defaultResource().merge(detected)
  return service === undefined
    ? resource
    : resource.merge(resourceFromAttributes({ [attributes.serviceName]: service }))
}
