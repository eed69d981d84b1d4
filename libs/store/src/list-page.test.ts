import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, createCursors } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { Document } from './collection.ts'
import { type PageOf, readPage } from './list-page.ts'

const cursors = createCursors(Buffer.alloc(32, 1))
const idAt = (n: number) => `x_${String(n).padStart(4, '0')}`

/** A tenant's documents 0 to `count`, read page by page as they are asked for. */
function listing(count: number, options: Partial<Pick<PageOf<Document>, 'range' | 'passes' | 'list'>> = {}) {
  const all = Array.from({ length: count }, (_, n): Document => ({ tenant: 't', id: idAt(n), version: 1 }))
  let read = 0
  const find: PageOf<Document>['find'] = async (
    _,
    { after: [after = ''] = [], before: [before = '~'] = [], ...query },
  ) => {
    const within = all.filter(({ id }) => id > after && id < before)
    const found = (query.order === 'desc' ? within.reverse() : within).slice(0, query.limit)
    read += found.length
    return found
  }
  const range = { after: undefined, before: undefined }
  const page = (request: PageOf<Document>['request']) =>
    readPage({ find, tenant: 't', range, list: ['things'], cursors, ...options, request })
  return {
    page,
    read: () => read,
    async ids(request: PageOf<Document>['request'] = {}) {
      const pages: string[][] = []
      for (let cursor: string | undefined; ; ) {
        const { data, more } = await page({ ...request, ...(cursor !== undefined && { cursor }) })
        pages.push(data.map(({ id }) => id))
        cursor = more.nextCursor
        assert.equal(more.hasMore, cursor !== undefined)
        if (cursor === undefined) return pages
      }
    },
  }
}

test('pages hold all documents, in either order, each once', async () => {
  assert.deepEqual(
    await listing(5).ids({ limit: 2 }),
    [[4, 3], [2, 1], [0]].map(page => page.map(idAt)),
  )
  assert.deepEqual(
    await listing(4).ids({ limit: 2, order: Order.ASC }),
    [
      [0, 1],
      [2, 3],
    ].map(page => page.map(idAt)),
  )
  assert.deepEqual(await listing(0).ids(), [[]])
  assert.equal((await listing(30).ids())[0]?.length, 20)
})

test('they keep to the range, whichever way they go', async () => {
  const range = { after: idAt(1), before: idAt(5) }
  assert.deepEqual(
    await listing(9, { range }).ids({ limit: 2 }),
    [[4, 3], [2]].map(page => page.map(idAt)),
  )
  assert.deepEqual(
    await listing(9, { range }).ids({ limit: 2, order: Order.ASC }),
    [[2, 3], [4]].map(page => page.map(idAt)),
  )
})

test('a filter that few pass makes a page short instead of slow, and loses none', async () => {
  const passes = ({ id }: Document) => id === idAt(0) || id === idAt(2_500)
  const listed = listing(2_501, { passes })
  const { data, more } = await listed.page({ limit: 2 })
  assert.deepEqual([data.length, more.hasMore, listed.read()], [1, true, 1_000])
  assert.deepEqual((await listed.ids({ limit: 2 })).flat(), [2_500, 0].map(idAt))
})

test('there is no more where only documents are left that do not pass', async () => {
  const { more } = await listing(50, { passes: ({ id }) => id >= idAt(48) }).page({ limit: 2 })
  assert.deepEqual(more, { hasMore: false })
})

test('a cursor is good for the same list, filters and order alone', async () => {
  const { nextCursor: cursor = '' } = (await listing(9).page({ limit: 2 })).more
  const isInvalid = (error: unknown) => codeOf(error) === 'invalid_cursor'
  await assert.rejects(listing(9).page({ cursor, order: Order.ASC }), isInvalid)
  await assert.rejects(listing(9, { list: ['things', 'red'] }).page({ cursor }), isInvalid)
  await assert.rejects(listing(9).page({ cursor: `${cursor}x` }), isInvalid)
  assert.equal((await listing(9).page({ cursor, limit: 9 })).data[0]?.id, idAt(6))
})
