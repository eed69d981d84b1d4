import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataOf } from '@millhand/api'
import { requireReadable, scopeOf } from './event-scopes.ts'
import { askable } from './event-types.ts'

/** The scopes that are missing, as the answer names them. */
function missing(patterns: readonly string[], ...held: string[]): string | undefined {
  try {
    requireReadable(patterns, new Set(held))
    return undefined
  } catch (error) {
    for (const scope of metadataOf(error).scope?.split(' ') ?? []) assert.ok(String(error).includes(`\`${scope}\``))
    return metadataOf(error).scope
  }
}

test('a key asks for the events of what it may read, by whatever pattern', () => {
  for (const [patterns, held, needed] of [
    [['task.succeeded'], [], 'tasks:read'],
    [['task.*'], ['tasks:write', 'workforce:read'], 'tasks:read'],
    [['task.*', 'batch.completed'], ['tasks:read'], undefined],
    [['workforce.task.succeeded'], ['tasks:read'], 'workforce:read'],
    [['workforce.*', 'workforce.task.*'], ['workforce:read'], undefined],
    [['key.revoked', 'webhook.disabled', 'task.*'], ['tasks:read'], 'keys:read webhooks:read'],
    [['invoice.finalized', 'quota.warning', 'instance.*'], [], 'billing:read usage:read instances:read'],
    [['*'], ['tasks:read', 'keys:read', 'webhooks:read', 'workforce:read'], 'events:read'],
    [['*', 'task.*'], [], 'events:read'],
    [['*', 'task.*', 'key.created'], ['events:read'], undefined],
    [['*'], ['*'], undefined],
  ] as const) {
    assert.equal(missing(patterns, ...held), needed, `${patterns} with ${held}`)
  }
})

test('each type that can be asked for is about something that a scope of its own shows', () => {
  for (const type of askable) assert.notEqual(scopeOf(type), 'events:read', type)
})
