import type { DescService } from '@bufbuild/protobuf'
import { httpRoutes, shortRoutes } from '@millhand/api'
import { type Comments, createSchemas, type Schema } from '@millhand/api/schema'
import { TOKEN_PARAMETER } from '../streams/stream-tokens.ts'
import { streamTokenScheme } from './events.ts'
import { headerParameters, operationOf, tagOf } from './operation.ts'
import { errorStatuses, headers, problemResponses, problemSchemas, refusalResponses } from './responses.ts'

/** The OpenAPI 3.1 document of services. */
export function openapiDocument(services: readonly DescService[], comments: Comments): Schema {
  const routes = httpRoutes(services)
  const schemas = createSchemas(comments)
  const sources = { comments, schemas, routes, shortRoutes: shortRoutes(services, routes) }
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes) {
    paths[route.template] = {
      ...paths[route.template],
      [route.method.toLowerCase()]: operationOf(route, sources),
    }
  }
  const scopes = [...new Set(routes.map(({ access }) => access.scope))].sort()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millhand',
      version: '1',
      summary: 'Compute and AI work that a team runs itself.',
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Map(routes.map(route => [tagOf(route), route.service]))].map(([name, { typeName }]) => ({
      name,
      description: comments(typeName),
    })),
    paths,
    components: {
      securitySchemes: { bearer: bearer(scopes), [TOKEN_PARAMETER]: streamTokenScheme(TOKEN_PARAMETER) },
      parameters: headerParameters,
      headers,
      responses: { ...problemResponses(new Set(routes.flatMap(errorStatuses))), ...refusalResponses },
      schemas: { ...schemas.components, ...problemSchemas },
    },
  }
}

const description = `Accept unknown fields, enum values and event types: they may be added; nothing else changes under \`/v1\`.
Names are snake_case. Times are RFC 3339 in UTC. Ids sort by creation. Strings hold any character but U+0000. A request
may say \`null\` for what it leaves out, nests at most 64 levels and has at most 1 MiB. Every \`GET\` answers \`HEAD\` too.`

function bearer(scopes: readonly string[]): Schema {
  const list = scopes.map(scope => `\`${scope}\``).join(', ')
  return {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'mh_live_… or mh_test_…',
    description: `An API key. It holds some of the scopes ${list}, or \`*\` for all. \`write\` does not imply \`read\`.`,
  }
}
