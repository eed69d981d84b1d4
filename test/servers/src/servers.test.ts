import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { javaMissing, startKafka, startMongo } from './index.ts'

describe('test servers', { skip: javaMissing }, () => {
  for (const [name, start] of [
    ['Kafka', startKafka],
    ['MongoDB’s protocol', startMongo],
  ] as const) {
    it(`${name}: serves again at the same address after it was killed`, async () => {
      await using server = await start()
      assert.ok(await answers(server.address))
      await server.kill()
      assert.equal(await answers(server.address), false)
      await server.start()
      assert.ok(await answers(server.address))
    })
  }
})

async function answers(address: string): Promise<boolean> {
  const [host, port] = address.split(':') as [string, string]
  const socket = connect(Number(port), host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
