import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds, idTime, parseId } from '@millhand/api'
import { indexOfTask, taskIdOf } from './task-ids.ts'

const ids = createIds()
const [one, another] = [ids('batch'), ids('batch')]

test('the ids of tasks are ids of the batch’s time, that sort by index', () => {
  const tasks = [0, 1, 31, 32, 999, 49_999].map(index => taskIdOf('task', one, index))
  for (const task of tasks) {
    assert.equal(parseId('task', task), task)
    assert.equal(idTime(task), idTime(one))
  }
  assert.deepEqual(tasks.toSorted(), tasks)
})

test('an id tells its index, to its batch alone', () => {
  for (const index of [0, 7, 1_024, 49_999]) {
    const task = taskIdOf('task', one, index)
    assert.equal(indexOfTask('task', one, task), index)
    assert.equal(indexOfTask('task', another, task), undefined)
    assert.equal(indexOfTask('wtask', one, task), undefined)
  }
  for (const text of ['', 'task_', one, ids('task')]) assert.equal(indexOfTask('task', one, text), undefined)
})
