import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '@millhand/store/sqlite'
import { startFault } from './start-fault.ts'
import { storeFault } from './store-fault.ts'
import { waitReasonOf } from './store-wait.ts'

test('a store that is no database is named, with what to do, and left as it is', t => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millhand-store-fault-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const file = join(dataDir, 'millhand.db')
  const content = 'no database, though long enough to be one. '.repeat(50)
  writeFileSync(file, content)
  assert.throws(
    () => openSqlite({ file }),
    error => {
      const line = startFault(storeFault(error, dataDir))
      assert.ok(line.includes(file) && !line.includes('\n'), line)
      assert.match(line, /is damaged: file is not a database.*restore/)
      assert.equal(waitReasonOf(error)?.until, 'stopped')
      return true
    },
  )
  assert.equal(readFileSync(file, 'utf8'), content)
})
