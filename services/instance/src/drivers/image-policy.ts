/** Which images may run: references, and the operator's lists. */
import { DriverFault } from './driver.ts'

export interface ImagePolicy {
  /** Registries, such as `docker.io` or `ghcr.io/acme` for a part of one; any public one where it is not given. */
  readonly registries?: readonly string[]
  /**
   * References of images that the operator has put on the hosts, which run without a pull. All others are pulled for
   * every replica, so that the registry checks the credential: what one tenant has pulled is no other's to run.
   */
  readonly preloaded?: readonly string[]
  /** The most that an image which is pulled may have, on hosts that can tell; without it there is no limit. */
  readonly mostBytes?: number
}

export interface ImageReference {
  /** `docker.io` where the reference names none. */
  readonly registry: string
  /** `library/nginx` for `nginx`. */
  readonly repository: string
  /** `:1.2` or `@sha256:…`; `:latest` where the reference has neither. */
  readonly version: string
}

/** Follows the grammar of https://pkg.go.dev/github.com/distribution/reference; undefined where it is none. */
export function parseImageReference(reference: string): ImageReference | undefined {
  if (reference.length > 512) return undefined
  const { name, tag, digest } = REFERENCE.exec(reference)?.groups ?? {}
  if (name === undefined) return undefined
  const [first = '', ...rest] = name.split('/')
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const path = hasRegistry ? rest.join('/') : name
  if (!path.split('/').every(part => COMPONENT.test(part))) return undefined
  if (hasRegistry && !REGISTRY.test(first)) return undefined
  const registry = !hasRegistry || first === 'index.docker.io' ? 'docker.io' : first
  return {
    registry,
    repository: registry === 'docker.io' && !path.includes('/') ? `library/${path}` : path,
    version: digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`,
  }
}

/** The part of a reference before its version may name a port, so a tag has no slash. */
const REFERENCE = /^(?<name>[^@]+?)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const REGISTRY = /^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d{1,5})?$/

/** Whether the image is on the hosts already. Throws `DriverFault` where it may not run. */
export function checkImage(image: string, { registries, preloaded = [] }: ImagePolicy): { isPreloaded: boolean } {
  if (preloaded.includes(image)) return { isPreloaded: true }
  const parsed = parseImageReference(image)
  if (parsed === undefined) throw new DriverFault('image_not_found', 'The image is not a valid reference.')
  const full = `${parsed.registry}/${parsed.repository}`
  const isAllowed = registries?.some(allowed => `${full}/`.startsWith(`${allowed}/`)) ?? isPublic(parsed.registry)
  if (!isAllowed) throw new DriverFault('registry_not_allowed', `Images of ${parsed.registry} may not run here.`)
  return { isPreloaded: false }
}

/** Whether a registry may be one of the internet: an address, or a name without a domain, is of the network of the hosts. */
function isPublic(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '')
  // The last label of an address in any form begins with a digit.
  return /\.[a-z][a-z0-9-]*$/i.test(host) && !/\.(?:localhost|local|internal)$/i.test(host)
}
