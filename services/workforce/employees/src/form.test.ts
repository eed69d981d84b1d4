/** What a kind publishes is enough to build a form for it, and to show what comes back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schema } from '@millhand/workforce/employee'
import { readCatalogue } from './catalogue.ts'
import { alternativesOf, type Place, placesOf } from './pages/places.ts'
import { faultsOf } from './run-rules.ts'

/** What says how much fits into a value of a type. */
const boundsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['maxLength'],
  array: ['items', 'maxItems'],
  integer: ['minimum', 'maximum'],
}

for (const employee of readCatalogue())
  for (const kind of employee.kinds)
    describe(`the form of ${employee.id} ${kind.id}`, () => {
      const { input_schema, output_schema, example, fields, needs = [] } = kind
      const asked = placesIn(input_schema)
      const given = placesIn(output_schema)

      it('has a name and says what it is for', () => {
        assert.ok(kind.title !== '' && kind.description !== '')
      })

      it('begins with an example that is valid', () => {
        assert.equal(faultsOf(input_schema, example.input ?? {}), undefined)
      })

      it('has a label and a line of help for each field', () => {
        assert.deepEqual([...asked, ...given].flatMap(lacks), [])
        for (const { name, title, description } of fields) assert.ok(title !== '' && description !== '', name)
      })

      it('has each field of which it needs one', () => {
        const names = [...fields.map(({ name }) => name), ...asked.map(({ path }) => `input${path}`)]
        assert.deepEqual(
          needs.filter(name => !names.includes(name)),
          [],
        )
      })

      it('knows what can be put into each field: its type, how long, how many, between which numbers', () => {
        assert.deepEqual(asked.flatMap(open), [])
      })

      it('has something to show in each field that is still empty', () => {
        assert.deepEqual(
          asked.filter(isBlank).map(({ path }) => path),
          [],
        )
      })

      it('has choices that differ, and defaults and examples that are valid', () => {
        assert.deepEqual([...asked, ...given].flatMap(contradicts), [])
      })
    })

interface PlaceIn extends Place {
  readonly root: Schema
}

function placesIn(root: Schema): PlaceIn[] {
  return [...placesOf(root)].map(place => ({ ...place, root }))
}

function lacks({ path, schema, named }: PlaceIn): string[] {
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
  return ['title', 'description'].filter(key => named && !isText(schema[key])).map(key => `${path} has no ${key}`)
}

/** What a form would have to guess. */
function open({ path, schema }: PlaceIn): string[] {
  const { enum: choices, const: only } = schema
  if (choices !== undefined || only !== undefined || alternativesOf(schema).length > 0) return []
  const types = [schema.type ?? []].flat() as string[]
  const lacking = types.flatMap(type => (boundsOf[type] ?? []).filter(bound => !(bound in schema)))
  if (types.length === 0) lacking.push('type')
  if (schema.properties !== undefined && schema.additionalProperties !== false) lacking.push('additionalProperties')
  return lacking.map(key => `${path} has no ${key}`)
}

/** Nothing says what a value of it may look like. */
function isBlank({ schema, named }: PlaceIn): boolean {
  const { items = {}, type } = schema as { items?: Schema; type?: unknown }
  const isWritten =
    ['string', 'number', 'integer'].includes(`${type}`) || (type === 'array' && !('properties' in items))
  return named && isWritten && !['examples', 'default', 'enum', 'const'].some(key => key in schema || key in items)
}

function contradicts({ path, schema, root }: PlaceIn): string[] {
  const { default: preset, examples = [], enum: choices, required = [], properties = {} } = schema
  const faults: string[] = []
  if (Array.isArray(choices) && (choices.length === 0 || new Set(choices).size < choices.length))
    faults.push(`${path} has no choices, or one of them twice`)
  for (const name of required as string[])
    if (!Object.hasOwn(properties as object, name)) faults.push(`${path}.${name} is required, and is no field`)
  for (const value of [...(preset === undefined ? [] : [preset]), ...(examples as unknown[])]) {
    const fault = faultsOf({ ...schema, $defs: root.$defs ?? {} }, value)
    if (fault !== undefined) faults.push(`${path} would not take ${JSON.stringify(value)}: ${fault}`)
  }
  return faults
}
