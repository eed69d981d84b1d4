/** `/`: where to go from here. */
import { page } from './static-page.ts'

export const startPage = () =>
  page({
    path: '/',
    type: 'application/json',
    body: JSON.stringify({
      service: 'millhand',
      docs: '/docs',
      openapi: '/openapi.json',
      status: '/status',
      changelog: '/changelog',
      health: '/readyz',
    }),
  })
