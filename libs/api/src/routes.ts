import { type DescMethod, type DescService, getOption, hasOption, ScalarType } from '@bufbuild/protobuf'
import { type Deprecated, deprecationOf } from './deprecation.ts'
import { http } from './gen/google/api/annotations_pb.ts'
import type { HttpRule } from './gen/google/api/http_pb.ts'
import { type Access, type Answer, access, answer, Limit } from './gen/millhand/type/v1/access_pb.ts'
import { type Payload, payloadOf } from './payload.ts'

/** One HTTP method on one path, and the RPC that answers it. */
export type Route = Payload & Place

/** A route of that kind. */
export type RouteOf<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }> & Place

interface Place {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'
  /** As OpenAPI writes it: `/v1/tasks/{id}`. */
  readonly template: string
  readonly segments: readonly Segment[]
  /** The fields that the path carries, by their names in the proto. */
  readonly pathFields: readonly string[]
  /** `*`: the body is the request, without its path fields. Without it, they come from the query. */
  readonly body: '*' | undefined
  readonly service: DescService
  readonly access: Access
  /** Its `status` is always set. */
  readonly answer: Answer
  /** Where it is going to end. */
  readonly deprecated: Deprecated | undefined
}

/** A literal text, or the field that any text between two slashes goes to. */
export type Segment = string | { readonly field: string }

/**
 * The routes of services, from `google.api.http`. Throws for a rule without `access` or its limit, for one that the
 * gateway could not serve, for two routes that no request could be told apart by, and for a deprecation that is too short.
 */
export function httpRoutes(services: Iterable<DescService>): Route[] {
  const routes: Route[] = []
  const seen = new Map<string, string>()
  for (const service of services) {
    for (const desc of service.methods) {
      if (!hasOption(desc, http)) continue
      const rule = getOption(desc, http)
      for (const binding of [rule, ...rule.additionalBindings]) {
        const route = routeOf(desc, service, binding)
        const shape = `${route.method} ${route.template.replace(/\{\w+\}/g, '{}')}`
        const other = seen.get(shape)
        if (other !== undefined) throw new Error(`${desc} has the same route as ${other}: ${shape}`)
        seen.set(shape, `${desc}`)
        routes.push(route)
      }
    }
  }
  return routes
}

/** The route of a method at another path, by its first rule else. Throws as `httpRoutes` does. */
export function routeAt(desc: DescMethod, service: DescService, path: string): Route {
  const rule = getOption(desc, http)
  if (rule.pattern.case === undefined || rule.pattern.case === 'custom') throw new Error(`${desc} has no HTTP method`)
  return routeOf(desc, service, { ...rule, pattern: { case: rule.pattern.case, value: path } })
}

function routeOf(desc: DescMethod, service: DescService, rule: HttpRule): Route {
  const { pattern, body, responseBody } = rule
  if (!hasOption(desc, access) || getOption(desc, access).scope === '') {
    throw new Error(`${desc} has an HTTP route and no access option`)
  }
  if (getOption(desc, access).limit === Limit.UNSPECIFIED)
    throw new Error(`${desc} has no limit that it counts against`)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${desc} has no HTTP method`)
  if (body !== '' && body !== '*') throw new Error(`${desc} has a body that is not the whole request: ${body}`)
  if (responseBody !== '') throw new Error(`${desc} has a response_body`)
  const segments = parseTemplate(desc, pattern.value)
  const pathFields = segments.flatMap(segment => (typeof segment === 'string' ? [] : [segment.field]))
  if (new Set(pathFields).size !== pathFields.length) throw new Error(`${desc} has a path field twice`)
  const payload = payloadOf(desc)
  if (payload.kind === 'upload' && (body !== '*' || pathFields.length > 0)) {
    throw new Error(`${desc} is an upload, whose request is its body and nothing of its path`)
  }
  if (desc.methodKind === 'server_streaming' && pattern.case !== 'get') {
    throw new Error(`${desc} streams its answer and is no GET`)
  }
  return {
    ...payload,
    method: methods[pattern.case],
    template: pattern.value,
    segments,
    pathFields,
    body: body === '*' ? body : undefined,
    service,
    access: getOption(desc, access),
    answer: withStatus(getOption(desc, answer)),
    deprecated: deprecationOf(desc),
  }
}

const methods = { get: 'GET', put: 'PUT', post: 'POST', delete: 'DELETE', patch: 'PATCH' } as const

function withStatus(said: Answer): Answer {
  return { ...said, status: said.status || 200 }
}

/** Literals and whole-segment fields: of AIP-127's templates all that our contract uses. */
function parseTemplate(desc: DescMethod, template: string): Segment[] {
  if (!template.startsWith('/')) throw new Error(`${desc} has a path that does not start with a slash: ${template}`)
  return template
    .slice(1)
    .split('/')
    .map(text => {
      const field = /^\{([a-z][a-z0-9_]*)\}$/.exec(text)?.[1]
      if (field === undefined) {
        if (/^[a-z0-9_.-]+$/.test(text)) return text
        throw new Error(`${desc} has a path that routes can't have: ${template}`)
      }
      if (desc.input.fields.find(({ name }) => name === field)?.scalar !== ScalarType.STRING) {
        throw new Error(`${desc} has a path field that is no string of its request: ${field}`)
      }
      return { field }
    })
}
