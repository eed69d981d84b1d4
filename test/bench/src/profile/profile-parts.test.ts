import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { partOf, profileShares } from './profile-parts.ts'

const url = (file: string) => `file://${repository}/${file}`

test('own folders, packages and Node are told apart', () => {
  assert.equal(partOf(url('libs/store/src/a.ts')), 'libs/store')
  assert.equal(partOf(url('gateway/src/a.ts')), 'gateway')
  assert.equal(partOf(url('node_modules/.pnpm/a@1/node_modules/@some/a/index.js')), 'node_modules/@some/a')
  assert.equal(partOf('node:internal/streams/writable'), 'node')
})

test('time is that of the function of a sample, and native time that of its caller; idle time is none', () => {
  const frame = (functionName: string, file = '', lineNumber = 0) => ({
    functionName,
    url: file && url(file),
    lineNumber,
  })
  const { busyUs, parts, functions } = profileShares({
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 4, 5, 6] },
      { id: 2, callFrame: frame('write', 'libs/store/src/a.ts', 9), children: [3] },
      { id: 3, callFrame: frame('run') },
      { id: 4, callFrame: frame('(garbage collector)') },
      { id: 5, callFrame: frame('(idle)') },
      { id: 6, callFrame: frame('(program)') },
    ],
    samples: [2, 3, 5, 4, 3, 6],
    timeDeltas: [1, 10, 20, 30, 40, 50, 60],
  })
  assert.equal(busyUs, 10 + 20 + 40 + 50 + 60)
  assert.deepEqual(
    [...parts],
    [
      ['native, called by libs/store', 70],
      ['native, called by no function', 60],
      ['garbage collector', 40],
      ['libs/store', 10],
    ],
  )
  assert.deepEqual([...functions.keys()].at(0), 'run (native), called in libs/store/src/a.ts')
  assert.equal(functions.get('write libs/store/src/a.ts:10'), 10)
})
