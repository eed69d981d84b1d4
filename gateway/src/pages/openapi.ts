/** `/openapi.json`: the golden file, byte for byte. */
import { readFileSync } from 'node:fs'
import { pageRoute } from './page.ts'

export const openapiRoute = () =>
  pageRoute({
    path: '/openapi.json',
    type: 'application/json',
    body: readFileSync(new URL('../../openapi.golden.json', import.meta.url)),
  })
