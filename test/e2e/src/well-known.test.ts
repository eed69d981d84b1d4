/** What a visitor without a key finds at well-known addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitServer } from './visited-server.ts'

test('/changelog, /.well-known/api-catalog and /.well-known/security.txt need no key', async () => {
  const server = await visitServer()
  for (const path of ['/changelog', '/.well-known/api-catalog', '/.well-known/security.txt']) {
    const answer = await server.request('GET', path, { headers: { authorization: '' } })
    assert.equal(answer.status, 200, path)
    if (path.endsWith('.txt')) assert.match(answer.text, /^Contact: https:\/\/millhand\.test\/security$/m)
  }
  await server.leave()
})
