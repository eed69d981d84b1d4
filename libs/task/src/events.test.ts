import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Errand } from './errand.fixture.ts'
import { taskEvents } from './events.ts'
import { claim, finish, taskAfter } from './task-history.fixture.ts'

const outputs = {
  'up to 64 KiB': [{ kind: 'output', output: `"${'x'.repeat(65_534)}"` }, undefined, undefined],
  'over 64 KiB': [{ kind: 'output', output: `"${'x'.repeat(65_535)}"` }, true, `/v1/tasks/${taskAfter().id}`],
  'in a file': [{ kind: 'output_file', file: 'file_a', kept_until: 1 }, true, '/v1/files/file_a/content'],
} as const

const kind = {
  topic: 'errands',
  eventPrefix: 'errand.',
  write: ({ id, output_file }: Errand, output?: string) => JSON.stringify({ id, output, output_file }),
}

for (const [what, [outcome, isOmitted, url]] of Object.entries(outputs)) {
  it(`the event of an end says whether it lacks the output: one ${what}`, () => {
    const [event] = taskEvents(kind, taskAfter(claim), taskAfter(claim, finish(outcome)), 1, () => 'evt_a')
    const { data } = JSON.parse(event?.value ?? '')
    assert.equal(data.output_omitted, isOmitted)
    assert.equal(data.output_url, url)
    assert.equal('output' in data.object, isOmitted === undefined)
    assert.equal(data.object.output_file, outcome.kind === 'output_file' ? 'file_a' : undefined)
  })
}
