import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { type Heard, ok, rawReceiver, testDialer } from './receivers.fixture.ts'

const codeOf = (answer: { kind: string; code?: string }) => answer.code ?? answer.kind
const never = new AbortController().signal

test('posts to one target use one connection, one after the other', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok('thanks')))
  const dialer = testDialer(t)
  for (let n = 0; n < 20; n++) assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
  assert.equal(receiver.accepted, 1)
})

test('no connection is used by two partitions', async t => {
  const connections = new Map<unknown, Set<string>>()
  const receiver = await rawReceiver(t, ({ socket, text }) => {
    const partition = /partition: (\w+)/.exec(text)?.[1] ?? ''
    connections.set(socket, (connections.get(socket) ?? new Set()).add(partition))
    socket.write(ok())
  })
  const dialer = testDialer(t)
  const post = (partition: string) => dialer.to(receiver.url, { partition, headers: { partition } })
  for (let n = 0; n < 5; n++) await Promise.all(['a', 'b', 'c'].map(post))
  assert.deepEqual(
    [...connections.values()].map(partitions => [...partitions].join()),
    ['a', 'b', 'c'],
  )
})

test('a connection that plain http was allowed on is none for who may not use it there', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dialer = testDialer(t)
  await dialer.to(receiver.url, { plainHttp: true })
  await dialer.to(receiver.url, { plainHttp: false })
  assert.equal(receiver.accepted, 2)
})

test('a connection that is idle for some seconds is closed', async t => {
  const clock = manualClock()
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dialer = testDialer(t, { clock })
  await dialer.to(receiver.url)
  await clock.advance(3_000)
  await dialer.to(receiver.url)
  await clock.advance(3_000)
  assert.equal(receiver.open.size, 1)
  await clock.advance(1_500)
  await receiver.downTo(0)
  await dialer.to(receiver.url)
  assert.equal(receiver.accepted, 2)
})

test('a connection is given up a second before its server does, as that says', async t => {
  const clock = manualClock()
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok('', 'keep-alive: timeout=3, max=100')))
  const dialer = testDialer(t, { clock })
  await dialer.to(receiver.url)
  await clock.advance(1_400)
  await dialer.to(receiver.url)
  assert.equal(receiver.accepted, 1)
  await clock.advance(2_500)
  await receiver.downTo(0)
})

test('a connection that its server ends, or will soon, is not used again', async t => {
  for (const header of ['connection: close', 'keep-alive: timeout=1', 'keep-alive: timeout=0']) {
    const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok('', header)))
    const dialer = testDialer(t)
    for (let n = 0; n < 3; n++) assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
    assert.equal(receiver.accepted, 3, header)
    await receiver.downTo(0)
  }
})

test('a connection that is always busy ends at its age, for its name may have moved', async t => {
  const clock = manualClock()
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dialer = testDialer(t, { clock })
  for (let ms = 0; ms < 600_000; ms += 2_000) {
    await dialer.to(receiver.url)
    await clock.advance(2_000)
  }
  assert.equal(receiver.accepted, 2)
})

test('a kept connection that closes before a byte of the answer is no failure: the post is made again, once', async t => {
  for (const end of ['end', 'resetAndDestroy'] as const) {
    const receiver = await rawReceiver(t, ({ socket, beforeHere }) =>
      beforeHere === 0 ? socket.write(ok()) : socket[end](),
    )
    const dialer = testDialer(t)
    for (let n = 0; n < 3; n++) assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
    assert.equal(receiver.accepted, 3)
  }
})

test('a post is not made a third time', async t => {
  const receiver = await rawReceiver(t, ({ socket, before }) => (before === 0 ? socket.write(ok()) : socket.end()))
  const dialer = testDialer(t)
  await dialer.to(receiver.url)
  assert.equal(codeOf(await dialer.to(receiver.url)), 'reset')
  assert.equal(receiver.accepted, 2)
})

test('a kept connection that closes within the answer is a failure: the post is not made again', async t => {
  const receiver = await rawReceiver(t, ({ socket, beforeHere }) =>
    beforeHere === 0 ? socket.write(ok()) : socket.end('H'),
  )
  const dialer = testDialer(t)
  await dialer.to(receiver.url)
  assert.equal(codeOf(await dialer.to(receiver.url)), 'reset')
  assert.equal(receiver.accepted, 1)
})

test('a fresh connection that closes is a failure', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.end())
  assert.equal(codeOf(await testDialer(t).to(receiver.url)), 'reset')
  assert.equal(receiver.accepted, 1)
})

test('a server that closes each connection just as the next post is on its way loses none of 200', async t => {
  const heard = new Set<string>()
  const receiver = await rawReceiver(t, ({ socket, before, text }) => {
    heard.add(/webhook-id: (\d+)/.exec(text)?.[1] ?? '')
    socket.write(ok())
    // Before, with and after the next post, which comes as soon as the answer is read.
    if (before % 3 === 0) socket.end()
    else if (before % 3 === 1) setImmediate(() => socket.resetAndDestroy())
    else socket.once('data', () => socket.destroy())
  })
  const dialer = testDialer(t)
  for (let n = 0; n < 200; n++) {
    const answer = await dialer.to(receiver.url, { headers: { 'webhook-id': String(n) } })
    assert.equal(codeOf(answer), 'answered', `post ${n}`)
  }
  assert.equal(heard.size, 200)
})

/** A server that answers when it is told to. */
async function holding(t: Parameters<typeof rawReceiver>[0]) {
  const held: Heard[] = []
  let onHeld = Promise.withResolvers<void>()
  const receiver = await rawReceiver(t, post => {
    held.push(post)
    onHeld.resolve()
    onHeld = Promise.withResolvers()
  })
  return Object.assign(receiver, {
    held,
    async holds(count: number) {
      while (held.length < count) await onHeld.promise
    },
    answerOne: () => held.shift()?.socket.write(ok()),
  })
}

test('a partition has so many connections at most, and the rest of its posts wait', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t, { maxSocketsPerPartition: 2 })
  const answers = Array.from({ length: 5 }, () => dialer.to(receiver.url))
  const other = dialer.to(receiver.url, { partition: 'we_2' })
  await receiver.holds(3)
  for (let n = 0; n < 6; n++) {
    await receiver.holds(1)
    receiver.answerOne()
  }
  assert.deepEqual((await Promise.all([...answers, other])).map(codeOf), Array(6).fill('answered'))
  assert.equal(receiver.accepted, 3)
})

test('when as many connections are open as may be, partitions take turns', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t, { maxSockets: 1 })
  const order: string[] = []
  const post = async (partition: string) => {
    await dialer.to(receiver.url, { partition })
    order.push(partition)
  }
  const first = post('a')
  await receiver.holds(1)
  const rest = ['a', 'a', 'a', 'b', 'b', 'c'].map(post)
  for (let n = 0; n < 7; n++) {
    await receiver.holds(1)
    receiver.answerOne()
  }
  await Promise.all([first, ...rest])
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('a connection that is idle makes room for another', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dialer = testDialer(t, { maxSockets: 2, maxSocketsPerPartition: 1 })
  for (const partition of ['a', 'b', 'c', 'd']) {
    assert.equal(codeOf(await dialer.to(receiver.url, { partition })), 'answered')
    assert.equal(codeOf(await dialer.to(receiver.url.replace('hook', 'other'), { partition })), 'answered')
  }
  assert.equal(receiver.accepted, 4)
  await receiver.downTo(2)
})

test('waiting for a connection is not held against the endpoint: it has all the time once there is one', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t, { maxSockets: 1, timeoutMs: 300 })
  const answers = ['a', 'b', 'c'].map(partition => dialer.to(receiver.url, { partition }))
  await receiver.holds(2)
  // The first has had its time, then the second has its own, and the third has waited for as long.
  assert.deepEqual((await Promise.all(answers)).map(codeOf), ['timeout', 'timeout', 'no_sockets'])
})

test('a post that is given up while it waits leaves the line', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t, { maxSockets: 1 })
  const first = dialer.to(receiver.url)
  await receiver.holds(1)
  const abort = new AbortController()
  const second = dialer.to(receiver.url, { partition: 'b' }, abort.signal)
  const third = dialer.to(receiver.url, { partition: 'c' })
  abort.abort()
  assert.equal(codeOf(await second), 'aborted')
  for (let n = 0; n < 2; n++) {
    await receiver.holds(1)
    receiver.answerOne()
  }
  assert.deepEqual((await Promise.all([first, third])).map(codeOf), ['answered', 'answered'])
  assert.equal(receiver.accepted, 2)
})

test('a post that is given up, or has had its time, ends its connection', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t, { timeoutMs: 500 })
  const abort = new AbortController()
  const answer = dialer.to(receiver.url, {}, abort.signal)
  await receiver.holds(1)
  abort.abort()
  assert.equal(codeOf(await answer), 'aborted')
  assert.equal(codeOf(await dialer.to(receiver.url, {}, abort.signal)), 'aborted')
  assert.equal(codeOf(await dialer.to(receiver.url)), 'timeout')
  const last = dialer.to(receiver.url)
  await receiver.holds(3)
  for (let n = 0; n < 3; n++) receiver.answerOne()
  assert.equal(codeOf(await last), 'answered')
  assert.equal(receiver.accepted, 3)
  await receiver.downTo(1)
})

test('a body that goes on for too long costs the connection', async t => {
  for (const [length, connections] of [
    [60_000, 1],
    [100_000, 3],
  ] as const) {
    const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok('a'.repeat(length))))
    const dialer = testDialer(t)
    for (let n = 0; n < 3; n++) assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
    assert.equal(receiver.accepted, connections)
  }
})

test('close waits for what is under way, and leaves no connection', async t => {
  const receiver = await holding(t)
  const dialer = testDialer(t)
  const answers = ['a', 'a', 'b'].map(partition => dialer.to(receiver.url, { partition }, never))
  await receiver.holds(3)
  const closed = dialer.close()
  assert.equal(codeOf(await dialer.to(receiver.url)), 'aborted')
  for (let n = 0; n < 3; n++) receiver.answerOne()
  assert.deepEqual((await Promise.all(answers)).map(codeOf), Array(3).fill('answered'))
  await closed
  await dialer.close()
  await receiver.downTo(0)
  assert.equal(receiver.accepted, 3)
})
