import { asJson, asList, type Json, resolved, schemaBreaks } from './schema-breaks.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** What an OpenAPI document took away from those who call by an earlier one. Additions are no break. */
export function openapiBreaks(released: Json, now: Json): string[] {
  const paths = asJson(now.paths)
  return Object.entries(asJson(released.paths)).flatMap(([path, item]) =>
    METHODS.filter(method => method in asJson(item)).flatMap(method => {
      const place = `${method.toUpperCase()} ${path}`
      const operation = asJson(asJson(paths[path])[method])
      if (!(method in asJson(paths[path]))) return [`${place}: is gone`]
      return operationBreaks(asJson(asJson(item)[method]), operation, { released, now }, place)
    }),
  )
}

interface Documents {
  readonly released: Json
  readonly now: Json
}

function operationBreaks(was: Json, is: Json, documents: Documents, place: string): string[] {
  const isSameAccess = JSON.stringify(was.security) === JSON.stringify(is.security)
  return [
    ...(isSameAccess ? [] : [`${place}: needs another scope`]),
    ...parameterBreaks(was, is, documents, place),
    ...requestBreaks(was, is, documents, place),
    ...answerBreaks(was, is, documents, place),
  ]
}

function parameterBreaks(was: Json, is: Json, { released, now }: Documents, place: string): string[] {
  const named = (operation: Json, document: Json) =>
    new Map(
      asList(operation.parameters).map(parameter => {
        const found = resolved(parameter, document)
        return [`${found.in} ${found.name}`, found]
      }),
    )
  const [before, after] = [named(was, released), named(is, now)]
  const found: string[] = []
  for (const [name, parameter] of before) {
    const path = `${place}, ${name}`
    const other = after.get(name)
    if (other === undefined) found.push(`${path}: is gone`)
    else found.push(...schemaBreaks(parameter.schema, other.schema, { released, now, isSent: true }, path))
  }
  for (const [name, { required }] of after)
    if (required === true && before.get(name)?.required !== true) found.push(`${place}, ${name}: is needed now`)
  return found
}

function requestBreaks(was: Json, is: Json, { released, now }: Documents, place: string): string[] {
  const [before, after] = [resolved(was.requestBody, released), resolved(is.requestBody, now)]
  const isNeeded = after.required === true && before.required !== true
  return [
    ...(isNeeded ? [`${place}: a body is needed now`] : []),
    ...contentBreaks(before, after, { released, now, isSent: true }, `${place}, body`),
  ]
}

function answerBreaks(was: Json, is: Json, { released, now }: Documents, place: string): string[] {
  const answers = asJson(is.responses)
  return Object.entries(asJson(was.responses)).flatMap(([status, response]) => {
    const path = `${place}, ${status}`
    if (!(status in answers)) return [`${path}: is gone`]
    const [before, after] = [resolved(response, released), resolved(answers[status], now)]
    const headers = asJson(after.headers)
    const gone = Object.keys(asJson(before.headers)).filter(name => !(name in headers))
    return [
      ...gone.map(name => `${path}, header ${name}: is gone`),
      ...contentBreaks(before, after, { released, now, isSent: false }, path),
    ]
  })
}

function contentBreaks(
  before: Json,
  after: Json,
  compared: Documents & { readonly isSent: boolean },
  path: string,
): string[] {
  const contents = asJson(after.content)
  return Object.entries(asJson(before.content)).flatMap(([type, content]) =>
    type in contents
      ? schemaBreaks(asJson(content).schema, asJson(contents[type]).schema, compared, `${path} ${type}`)
      : [`${path} ${type}: is gone`],
  )
}
