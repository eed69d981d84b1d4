import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ok, rawReceiver, testDialer } from './receivers.fixture.ts'

test('20,000 posts of a hundred partitions, some of which fail, hold no memory', async t => {
  const receiver = await rawReceiver(t, ({ socket, before }) => {
    if (before % 10 === 3) socket.destroy()
    else socket.write(ok('thanks'))
  })
  const dialer = testDialer(t)
  const post = async (count: number) => {
    let n = 0
    const kinds = { answered: 0, failed: 0 }
    const one = async () => {
      while (n < count) {
        const partition = `we_${n++ % 100}`
        const url = n % 5 === 0 ? receiver.url.replace('127.0.0.2', '127.0.0.1') : receiver.url
        kinds[(await dialer.to(url, { partition })).kind]++
      }
    }
    await Promise.all(Array.from({ length: 64 }, one))
    return kinds
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const held = () => {
    for (let twice = 0; twice < 2; twice++) collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await post(4_000)
  const before = held()
  const kinds = await post(20_000)
  const more = (held() - before) / 1024 / 1024
  t.diagnostic(`${more.toFixed(1)} MiB more, ${JSON.stringify(kinds)}`)
  assert.ok(more < 4, `${more} MiB`)
  await dialer.close()
  await receiver.downTo(0)
})
