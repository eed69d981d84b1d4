import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '@millhand/process'
import { MongoNetworkError } from 'mongodb'
import { item } from '../contract-items.fixture.ts'
import { settle } from './settle.ts'
import { layoutOf } from './stored-document.ts'
import { statementOf, type WriteStatement } from './write-statement.ts'

it('a write that is sent again expects nothing of the outbox, as its first request may be made meanwhile', async () => {
  const change = { kind: 'replace', version: 7, document: item('a'), events: [] } as const
  const expected = { writeId: 'before', keeps: [] }
  const statement = statementOf(layoutOf({ name: 'items', indexes: {} }), change, 'mine', expected)
  const sent: WriteStatement[] = []
  const groups = {
    async send(write: WriteStatement) {
      sent.push(write)
      if (sent.length === 1) throw new MongoNetworkError('cut')
      return { kind: 'written', version: 8 } as const
    },
    trace: async () => ({ _id: 'a', version: 7, writes: ['before'] }),
  }
  assert.deepEqual(await settle(groups, statement, systemClock), { kind: 'written', version: 8 })
  const filters = sent.map(write => (write.kind === 'update' ? write.update.q : undefined))
  assert.deepEqual(filters, [
    { _id: statement.key, version: 7, write_id: 'before' },
    { _id: statement.key, version: 7 },
  ])
})
