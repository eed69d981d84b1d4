/** What the process of a kind can reach when its code has been taken over: nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { item, load, outcome } from './tester.fixture.ts'

/** By the lock, whose word that is; what fails for any other reason may be open. */
const refused = (does: string) => refusedOtherwise[does] ?? 'ERR_ACCESS_DENIED'

const refusedOtherwise: Readonly<Record<string, string>> = {
  fetch: 'fetch is not a function',
  WebSocket: 'WebSocket is not a constructor',
  'an import from the network': 'ERR_UNSUPPORTED_ESM_URL_SCHEME',
  'the environment': 'there is nothing in it',
  'a report': 'inner.report.writeReport is not a function',
  'addresses of the heap': 'only the C library is told',
  'code of a text': 'Code generation from strings disallowed for this context',
  'code of a text, by its constructor': 'Code generation from strings disallowed for this context',
  'code of a text, by eval': 'Code generation from strings disallowed for this context',
  'putting it back': 'Cannot redefine property: connect',
  'a path that is there, by the loader': 'MODULE_NOT_FOUND',
  'the frames of its callers': 'nothing is shown',
}

describe('a kind that was taken over', () => {
  for (const native of [false, true])
    it(`finds every way out closed${native ? ', also where native code is allowed' : ''}`, async t => {
      const server = createServer(socket => {
        reached++
        socket.destroy()
      }).listen(0, '127.0.0.1')
      t.after(() => server.close())
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      let reached = 0
      process.env.MILLHAND_TEST_SECRET = 'secret'
      t.after(() => delete process.env.MILLHAND_TEST_SECRET)
      const hostile = await load(t, 'tester/escape', { native })
      const tell = async (does: string) => outcome((await hostile.run([item({ does, port })])).items[0]).result
      const ways = (await tell('list')).says.split('\n') as string[]
      assert.ok(ways.length > 40)
      for (const does of ways)
        await t.test(does, async () => {
          const { outcome, says } = await tell(does)
          assert.deepEqual([outcome, says], ['refused', refused(does)])
        })
      assert.equal(reached, 0)
      assert.ok(!readdirSync('/tmp').some(name => name.startsWith('millhand-escape')))
    })
})
