import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasRun, type InspectedContainer, observedContainer } from './inspected-container.ts'

const NEVER = '0001-01-01T00:00:00Z'
const [from, to] = ['2026-11-26T07:30:00Z', '2026-11-26T07:31:00Z']

const observed = (state: Partial<InspectedContainer['State']>, starts: Readonly<Record<string, number>> = {}) => {
  const container: InspectedContainer = {
    Name: '/inst-a-0-1',
    Config: { Labels: {} },
    State: { Status: 'running', OOMKilled: false, ExitCode: 0, StartedAt: NEVER, FinishedAt: NEVER, ...state },
    NetworkSettings: {},
  }
  const {
    state: is,
    startedAt,
    endedAt,
  } = observedContainer('unix:///docker.sock', container, new Map(Object.entries(starts)))
  return { hasRun: hasRun(container.State), is, startedAt, endedAt }
}

describe('a container that an engine was killed in the start of', () => {
  it('has ended where the engine calls it created and knows its end', () => {
    const state = { Status: 'created', FinishedAt: to }
    const endedAt = Date.parse(to)
    assert.deepEqual(observed(state), { hasRun: true, is: 'exited', startedAt: endedAt, endedAt })
    const startedAt = Date.parse(from)
    assert.deepEqual(observed(state, { 'inst-a-0-1': startedAt }), { hasRun: true, is: 'exited', startedAt, endedAt })
  })

  it('runs since an unknown time where the engine says that it runs and not since when', () => {
    assert.deepEqual(observed({}), { hasRun: true, is: 'running', startedAt: undefined, endedAt: undefined })
    assert.equal(observed({}, { 'inst-a-0-1': 7 }).startedAt, 7)
    assert.equal(observed({ StartedAt: from }, { 'inst-a-0-1': 7 }).startedAt, Date.parse(from))
  })

  it('keeps its start where the engine does not know its end', () => {
    const startedAt = Date.parse(from)
    const state = { Status: 'exited', StartedAt: from }
    assert.deepEqual(observed(state), { hasRun: true, is: 'exited', startedAt, endedAt: undefined })
  })

  it('is to be started where it was only made', () => {
    assert.deepEqual(observed({ Status: 'created' }), {
      hasRun: false,
      is: 'creating',
      startedAt: undefined,
      endedAt: undefined,
    })
  })
})
