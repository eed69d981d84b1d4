/** The catalogue of errors as Markdown. */
import { type CatalogueEntry, problems } from './error-catalogue.ts'

/** The catalogue as a page: `docs/errors.md`. */
export function errorsMarkdown(): string {
  const rows = Object.entries(problems).map(([code, entry]: [string, CatalogueEntry]) => {
    const { status, title, action, header, retry } = entry
    const named = header === undefined ? '' : `\`${header}\``
    const retried = retry === 'idempotent' ? 'if idempotent' : retry === undefined ? '' : `\`${retry}\``
    return `| ${status} | \`${code}\` | ${title} | ${named} | ${retried} | ${action} |`
  })
  return `# Errors

Every error response is \`application/problem+json\` (RFC 9457). \`code\` is stable. \`errors\` lists all invalid fields at once.
A response always has the header that the table names for its code. This page is generated from \`libs/api/src/error-catalogue.ts\`.

Responses of 409, 429 and 5xx also have \`X-Should-Retry\`: \`true\` if the same request may succeed later, otherwise \`false\`.
"If idempotent" is \`true\` for \`GET\`, \`HEAD\` and \`DELETE\`, and for a \`POST\` with an \`Idempotency-Key\`, which is executed
once, however often it is sent. Send every \`POST\` with an \`Idempotency-Key\`, so that you can repeat it.

| status | code | title | header | \`X-Should-Retry\` | what to do |
|---|---|---|---|---|---|
${rows.join('\n')}
`
}
