import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCursors } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { openSqlite } from '@millhand/store/sqlite'
import type { ArchivedEvent } from '../archived-event.ts'
import { eventPage } from './event-page.ts'
import { describeEvents } from './events.contract.ts'

describeEvents('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-events-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})

test('a filter that hardly an event passes gives short pages: none looks at more than 1,000 events', async () => {
  const event = (arrived: number): ArchivedEvent => ({
    ...{ tenant: 't', id: `${arrived}`, version: 1, type: arrived === 1 ? 'a.x' : 'b.x', resource_id: 'r' },
    ...{ created_at: 1, arrived, value: '{}' },
  })
  let read = 0
  const page = (cursor?: string) =>
    eventPage({
      archive: {
        async find(_, { before = [3_501], limit }) {
          const found = Array.from({ length: limit }, (_, n) => Number(before[0]) - 1 - n).filter(at => at > 0)
          read += found.length
          return found.map(event)
        },
      },
      cursors: createCursors(Buffer.alloc(32)),
      tenant: 't',
      filters: { type: 'a.*', createdAfter: undefined, resourceId: undefined },
      request: { limit: 20, order: Order.DESC, cursor },
      now: 0,
    })
  let { data, more } = await page()
  for (let pages = 1; pages < 4; pages++) {
    assert.deepEqual([data.length, read, more.hasMore], [0, pages * 1_000, true])
    ;({ data, more } = await page(more.nextCursor))
  }
  assert.deepEqual([data.map(({ arrived }) => arrived), more.hasMore], [[1], false])
})
