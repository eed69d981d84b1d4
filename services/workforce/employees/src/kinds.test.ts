/** Every kind of work, by its own folder: what it publishes is what it does. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inputFaults } from '@millhand/workforce/input-validation'
import { requiredInputFaults } from '@millhand/workforce/required-inputs'
import type { Brief } from './brief.ts'
import { readCatalogue } from './catalogue.ts'
import { doExample } from './pages/do-example.ts'
import { faultsOf, runRules } from './run-rules.ts'

for (const { id: employee, kinds } of readCatalogue())
  for (const kind of kinds)
    describe(`${employee} ${kind.id}`, () => {
      const brief: Brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: {}, ...kind.example }

      it('has an example that its input schema allows', () => {
        assert.equal(faultsOf(kind.input_schema, brief.input), undefined)
        assert.deepEqual(
          requiredInputFaults(kind, {
            topic: brief.topic,
            files: [],
            input: kind.example.input as Readonly<Record<string, unknown>>,
          }),
          [],
        )
      })

      it('tells who gives nothing of what it requires, and of nothing else', () => {
        const { required = [] } = kind.input_schema as { required?: readonly string[] }
        assert.deepEqual(
          inputFaults(kind)({}, 2).map(({ param }) => param),
          required.map(name => `input.${name}`),
        )
      })

      it('asks for something to work on', () => {
        const says = Boolean((kind.input_schema.required as string[] | undefined)?.length)
        assert.ok(says || requiredInputFaults(kind, { files: [] }).length > 0)
      })

      if (kind.engines.includes('rules')) {
        it('does its example by rules, as its output schema says, the same each time', async () => {
          const { answer, checks } = await runRules(kind, brief)
          assert.ok(answer.text.trim() !== '', 'there is a plain reading')
          assert.ok(checks.length > 0, 'something is measured')
          for (const { id, pass } of checks) assert.ok(pass, id)
          assert.deepEqual(await runRules(kind, brief), { answer, checks })
        })
      } else {
        it('shows an answer to its example that is valid, and passes every check', async () => {
          const { answer, checks } = await doExample(kind)
          assert.ok(answer.text.trim() !== '')
          assert.deepEqual(
            checks.filter(({ pass }) => !pass),
            [],
          )
        })
      }
    })
