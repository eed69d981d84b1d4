import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNearestPath } from './nearest-path.ts'

const nearestPath = createNearestPath(['/v1/tasks', '/v1/tasks/:id', '/v1/tasks/:id/cancel', '/v1/files', '/readyz'])

test('a path with a slip gives the one that was meant', () => {
  for (const [path, meant] of [
    ['/v1/taks', '/v1/tasks'],
    ['/v1/task', '/v1/tasks'],
    ['/v1/tasks/', '/v1/tasks'],
    ['//v1/tasks', '/v1/tasks'],
    ['/tasks', '/v1/tasks'],
    ['/v2/tasks', '/v1/tasks'],
    ['/task/task_1', '/v1/tasks/{id}'],
    ['/v1/tasks/task_1/cancle', '/v1/tasks/{id}/cancel'],
    ['/v1/tasks//cancel', '/v1/tasks/{id}/cancel'],
    ['/v1//tasks/task_1', '/v1/tasks/{id}'],
    ['/ready', '/readyz'],
  ]) {
    assert.equal(nearestPath(path as string), meant, path)
  }
})

test('a path that is like none gives none', () => {
  for (const path of [
    '/',
    '/v1',
    '/v1/zebras',
    '/wp-admin',
    '/v1/tasks/task_1/cancel/now',
    `/v1/${'tasks'.repeat(10_000)}`,
  ]) {
    assert.equal(nearestPath(path), undefined, path)
  }
})
