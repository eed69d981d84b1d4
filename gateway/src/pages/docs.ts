/** `/docs`: Swagger UI over our OpenAPI file. Every byte comes from here, so it works where there is no internet. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page, page } from './static-page.ts'

export const docs = () => pages().map(page)

function pages(): Page[] {
  return [
    { path: '/docs', type: 'text/html; charset=utf-8', body: html, headers: ['Content-Security-Policy', policy] },
    { path: '/docs/start.js', type: script, body: start },
    { path: '/docs/swagger-ui-bundle.js', type: script, body: fileOf('swagger-ui-bundle.js') },
    { path: '/docs/swagger-ui.css', type: 'text/css; charset=utf-8', body: fileOf('swagger-ui.css') },
    { path: '/docs/favicon.png', type: 'image/png', body: fileOf('favicon-32x32.png') },
  ]
}

const script = 'text/javascript; charset=utf-8'

const fileOf = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))

/** Nothing from elsewhere, and nothing to elsewhere. Swagger UI sets styles on elements and draws its icons inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millhand API</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** \`validatorUrl: null\`: Swagger UI would else send the file's address to a validator on the internet. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
})
`
