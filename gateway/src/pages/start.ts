/** `/`: where to go from here. */
import { pageRoute } from './page.ts'

export const startRoute = () =>
  pageRoute({
    path: '/',
    type: 'application/json',
    body: JSON.stringify({ service: 'millhand', docs: '/docs', openapi: '/openapi.json', health: '/readyz' }),
  })
