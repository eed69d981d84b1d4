import { test } from 'node:test'
import { start, validTask } from './start.ts'

test('smoke', async t => {
  const { post, call, url } = await start(t)
  const r = await post(validTask)
  console.log(r.status, r.headers, await r.text())
  const g = await call('/v1/tasks/task_00000000000000000000000001')
  console.log(g.status, g.headers, await g.text())
  for (const p of ['/', '/docs', '/healthz', '/readyz', '/openapi.json', '/nope']) {
    const r = await fetch(url + p)
    console.log(p, r.status, (await r.text()).slice(0, 100))
  }
})
