/** `/openapi.json`: the golden file, byte for byte. */
import { readFileSync } from 'node:fs'
import { page } from './static-page.ts'

export const openapi = () =>
  page({
    path: '/openapi.json',
    type: 'application/json',
    body: readFileSync(new URL('../../openapi.golden.json', import.meta.url)),
  })
