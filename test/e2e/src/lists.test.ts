import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { assertProblem, clear, create, digit, ended, FOREVER_MS, reaches, run, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const list = async (query: string): Promise<Wire> => {
  const answer = await server.request('GET', `/v1/tasks?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const ids = (page: Wire): string[] => page.data.map((task: Wire) => task.id)

/** `count` tasks with a label of their own, oldest first, all ended. */
async function labelled(label: string, count: number): Promise<string[]> {
  const made: string[] = []
  for (let at = 0; at < count; at++) made.push((await create(server, digit(at % 10, { metadata: { label } }))).id)
  await Promise.all(made.map(id => ended(server, id)))
  return made
}

test('an empty list is whole and empty', async () => {
  assert.deepEqual(await list('metadata[label]=nobody'), { object: 'list', data: [], has_more: false })
})

test('newest first, in the short form, with what `include` asks for', async () => {
  const made = await labelled('short', 3)
  const plain = await list('metadata[label]=short')
  assert.deepEqual(ids(plain), made.toReversed())
  for (const task of plain.data) assert.ok(task.object === 'task' && !('input' in task) && !('output' in task))
  for (const [include, input, output] of [
    ['input', true, false],
    ['output', false, true],
    ['input,output', true, true],
  ] as const)
    for (const task of (await list(`metadata[label]=short&include=${include}`)).data) {
      assert.equal('input' in task, input, include)
      assert.equal('output' in task, output, include)
    }
})

test('pages follow each other without gap or repeat, and the last has no cursor', async () => {
  const made = await labelled('pages', 7)
  for (const [order, expected] of [
    ['desc', made.toReversed()],
    ['asc', made],
  ] as const) {
    if (order === 'asc') await settled(made.at(-1) as string)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await list(`metadata[label]=pages&limit=3&order=${order}${cursor}`)
      assert.ok(page.data.length <= 3)
      assert.equal('next_cursor' in page, page.has_more)
      seen.push(...ids(page))
      if (!page.has_more) break
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
    }
    assert.deepEqual(seen, expected, order)
  }
})

test('a cursor stays good while new tasks arrive', async () => {
  const made = await labelled('stable', 5)
  const first = await list('metadata[label]=stable&limit=2')
  await labelled('stable', 3)
  const second = await list(`metadata[label]=stable&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)
  const third = await list(`metadata[label]=stable&limit=2&cursor=${encodeURIComponent(second.next_cursor)}`)
  assert.deepEqual([...ids(first), ...ids(second), ...ids(third)], made.toReversed())
})

test('oldest first leaves out the last two seconds, and shows them after that', async () => {
  const [id] = (await labelled('young', 1)) as [string]
  const { body: task } = await server.request('GET', `/v1/tasks/${id}`)
  const young = await list('metadata[label]=young&order=asc')
  // By now it is older than when the list was made.
  if (Date.now() - Date.parse(task.created_at) < 1_900) assert.deepEqual(ids(young), [])
  await settled(id)
  assert.deepEqual(ids(await list('metadata[label]=young&order=asc')), [id])
})

test('every filter, alone and together', async () => {
  const before = await run(server, digit(1, { metadata: { label: 'filters', part: 'a' } }))
  const failed = await run(server, {
    type: 'inference',
    model: 'hungry',
    input: badShape,
    metadata: { label: 'filters', part: 'b' },
  })
  const running = await create(server, spin(FOREVER_MS, { metadata: { label: 'filters', part: 'a' } }))
  await reaches(server, running.id, 'running')
  const queued = await create(server, spin(FOREVER_MS, { metadata: { label: 'filters', part: 'b' } }))
  const mine = 'metadata[label]=filters'
  const table: readonly (readonly [string, readonly Wire[]])[] = [
    [mine, [queued, running, failed, before]],
    [`${mine}&status=succeeded`, [before]],
    [`${mine}&status=failed`, [failed]],
    [`${mine}&status=running`, [running]],
    [`${mine}&status=queued`, [queued]],
    [`${mine}&status=expired`, []],
    [`${mine}&type=inference`, [queued, running, failed, before]],
    [`${mine}&type=training`, []],
    [`${mine}&model=spin`, [queued, running]],
    [`${mine}&model=nothing`, []],
    [`${mine}&metadata[part]=a`, [running, before]],
    [`${mine}&metadata%5Bpart%5D=b`, [queued, failed]],
    [`${mine}&metadata[part]=a&model=spin&status=running`, [running]],
    [`${mine}&created_after=${failed.created_at}`, [queued, running]],
    [`${mine}&created_before=${failed.created_at}`, [before]],
    [`${mine}&created_after=${before.created_at}&created_before=${running.created_at}`, [failed]],
    [`${mine}&created_after=2999-01-01T00:00:00Z`, []],
    [`${mine}&created_before=1970-01-01T00:00:00Z`, []],
  ]
  for (const [query, expected] of table)
    assert.deepEqual(
      ids(await list(query)),
      expected.map(task => task.id),
      query,
    )
  await clear(server, queued.id, running.id)
})

describe('the list of an employee’s work', () => {
  const path = '/v1/workforce/emma/tasks'
  const mine = 'metadata[label]=of-emma'
  const made: Wire[] = []
  const work = (employee: string, task: string, input: object, part: string, more: object = {}) =>
    run(server, { employee, task, input, metadata: { label: 'of-emma', part }, ...more })
  const listed = async (query: string): Promise<Wire> => {
    const answer = await server.request('GET', `${path}?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  before(async () => {
    const texts = { texts: ['Not bad at all for the price.'] }
    const noText = await upload(server, Buffer.alloc(8), 'filename=a.bin', 'application/octet-stream')
    made.push(
      await work('emma', 'sentiment_analysis', texts, 'a'),
      await work('emma', 'sentiment_analysis', {}, 'b', { files: [noText.id] }),
      await work('emma', 'answer_ticket', { ticket: 'Where is my parcel?' }, 'a'),
      // Neither of these is in it.
      await work('david', 'forecast', { horizon: 1, series: [{ values: [1, 2, 3, 4, 5, 6, 7, 8] }] }, 'a'),
      await run(server, digit(1, { metadata: { label: 'of-emma', part: 'a' } })),
    )
    assert.deepEqual(
      made.map(({ status }) => status),
      ['succeeded', 'failed', 'succeeded', 'succeeded', 'succeeded'],
      JSON.stringify(made.map(({ error }) => error)),
    )
  })

  test('has what every filter says, alone and together', async () => {
    const [review, failed, ticket] = made
    const table: readonly (readonly [string, readonly Wire[]])[] = [
      [mine, [ticket, failed, review]],
      [`${mine}&status=succeeded`, [ticket, review]],
      [`${mine}&status=failed`, [failed]],
      [`${mine}&status=queued`, []],
      [`${mine}&task=sentiment_analysis`, [failed, review]],
      [`${mine}&task=answer_ticket`, [ticket]],
      [`${mine}&task=forecast`, []],
      [`${mine}&metadata[part]=a`, [ticket, review]],
      [`${mine}&metadata[part]=b`, [failed]],
      [`${mine}&metadata[part]=a&task=sentiment_analysis&status=succeeded`, [review]],
      [`${mine}&created_after=${failed.created_at}`, [ticket]],
      [`${mine}&created_before=${failed.created_at}`, [review]],
      [`${mine}&created_after=${review.created_at}&created_before=${ticket.created_at}`, [failed]],
      ['metadata[label]=nobody', []],
    ]
    for (const [query, expected] of table) assert.deepEqual(ids(await listed(query)), ids({ data: expected }), query)
  })

  test('shows briefs and outputs where `include` asks for them', async () => {
    const succeeded = `${mine}&status=succeeded`
    for (const [include, input, output] of [
      ['', false, false],
      ['&include=input', true, false],
      ['&include=output', false, true],
      ['&include=input,output', true, true],
    ] as const)
      for (const task of (await listed(`${succeeded}${include}`)).data) {
        const whole = made.find(({ id }) => id === task.id)
        assert.deepEqual(task.input, input ? whole.input : undefined, include)
        assert.deepEqual(task.output, output ? whole.output : undefined, include)
      }
  })

  test('goes on by a cursor, which is refused with other filters, another order or another employee', async () => {
    const first = await listed(`${mine}&limit=2`)
    const cursor = `cursor=${encodeURIComponent(first.next_cursor)}`
    const second = await listed(`${mine}&limit=2&${cursor}`)
    assert.deepEqual([...ids(first), ...ids(second)], ids({ data: made.slice(0, 3) }).toReversed())
    for (const query of [
      'limit=2',
      'metadata[label]=other',
      `${mine}&metadata[part]=a`,
      `${mine}&order=asc`,
      `${mine}&status=failed`,
      `${mine}&task=answer_ticket`,
      `${mine}&created_after=2020-01-01T00:00:00Z`,
      `${mine}&created_before=2999-01-01T00:00:00Z`,
    ])
      assertProblem(await server.request('GET', `${path}?${query}&${cursor}`), 400, 'invalid_cursor', 'cursor')
    for (const other of ['/v1/workforce/david/tasks', '/v1/tasks'])
      assertProblem(await server.request('GET', `${other}?${mine}&${cursor}`), 400, 'invalid_cursor', 'cursor')
  })
})

test('filters page too: a page of rare tasks reaches all of them', async () => {
  const rare: string[] = []
  for (let at = 0; at < 60; at++) {
    const { id } = await create(server, digit(1, { metadata: { label: at % 20 === 0 ? 'rare' : 'usual' } }))
    if (at % 20 === 0) rare.push(id)
  }
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`metadata[label]=rare&limit=1${cursor}`)
    seen.push(...ids(page))
    if (!page.has_more) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  assert.deepEqual(seen, rare.toReversed())
})

test('a cursor that was changed, or is used with other filters or another order, is refused', async () => {
  await labelled('cursors', 3)
  const { next_cursor } = await list('metadata[label]=cursors&limit=1')
  const middle = Math.floor(next_cursor.length / 2)
  const tampered = [
    next_cursor.slice(0, -1),
    `${next_cursor}A`,
    next_cursor.slice(0, middle) + (next_cursor[middle] === 'A' ? 'B' : 'A') + next_cursor.slice(middle + 1),
    'nonsense',
    '%00',
    'é',
  ]
  for (const cursor of tampered) {
    const path = `/v1/tasks?metadata[label]=cursors&limit=1&cursor=${cursor === '%00' ? cursor : encodeURIComponent(cursor)}`
    assertProblem(await server.request('GET', path), 400, 'invalid_cursor', 'cursor')
  }
  const cursor = `cursor=${encodeURIComponent(next_cursor)}`
  for (const query of [
    '',
    'metadata[label]=other',
    'metadata[label]=cursors&order=asc',
    'metadata[label]=cursors&status=queued',
  ])
    assertProblem(await server.request('GET', `/v1/tasks?${query}&${cursor}`), 400, 'invalid_cursor', 'cursor')
  assert.equal(ids(await list(`metadata[label]=cursors&limit=2&${cursor}`)).length, 2, 'the limit may change')
})

test('a bad query is 400 and names the parameter', async () => {
  const table = [
    ['limit=0', 'invalid_parameter', 'limit'],
    ['limit=101', 'invalid_parameter', 'limit'],
    ['limit=-1', 'invalid_parameter', 'limit'],
    ['limit=1.5', 'invalid_parameter', 'limit'],
    ['limit=many', 'invalid_parameter', 'limit'],
    ['limit=99999999999999999999', 'invalid_parameter', 'limit'],
    ['order=random', 'invalid_parameter', 'order'],
    ['status=bogus', 'invalid_parameter', 'status'],
    ['status=TASK_STATUS_QUEUED', 'invalid_parameter', 'status'],
    ['status=1', 'invalid_parameter', 'status'],
    ['type=poetry', 'invalid_parameter', 'type'],
    ['created_after=yesterday', 'invalid_parameter', 'created_after'],
    ['created_before=99999-01-01T00:00:00Z', 'invalid_parameter', 'created_before'],
    ['include=secrets', 'invalid_parameter', 'include[0]'],
    ['colour=red', 'unknown_parameter', 'colour'],
    ['createdAfter=2026-01-01T00:00:00Z', 'unknown_parameter', 'createdAfter'],
    ['limit=1&limit=2', 'invalid_parameter', 'limit'],
  ] as const
  for (const [query, code, param] of table)
    assertProblem(await server.request('GET', `/v1/tasks?${query}`), 400, code, param)
})

const badShape = JSON.stringify({ shape: { dtype: 'int64', shape: [1], data: [-5] } })

/** Waits until a task is old enough to be shown oldest first. */
async function settled(id: string): Promise<void> {
  const { created_at, metadata } = (await server.request('GET', `/v1/tasks/${id}`)).body
  const deadline = performance.now() + 300_000
  while (
    !ids(
      await list(`order=asc&limit=100&metadata[label]=${metadata.label}&created_before=2999-01-01T00:00:00Z`),
    ).includes(id)
  )
    assert.ok(performance.now() < deadline, `the task of ${created_at} never shows`)
}
