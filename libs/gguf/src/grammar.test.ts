/** What a language model is held to: the schema of its answer, as a grammar. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { grammarOf } from './grammar.ts'
import { patternRule } from './pattern-rule.ts'

it('a pattern of a schema is a rule of the grammar, without its lookaheads', () => {
  const table: readonly [string, string | undefined][] = [
    ['^[a-z0-9]+(-[a-z0-9]+)*$', ' [a-z0-9]+( "-" [a-z0-9]+)*'],
    ['^(?!/)(?!.*(^|/)\\.\\.(/|$))[\\w@+.-]+(/[\\w@+.-]+)*$', ' [a-zA-Z0-9_@+.-]+( "/" [a-zA-Z0-9_@+.-]+)*'],
    ['^(?:no|yes)\\.$', '( "n" "o" |  "y" "e" "s") "."'],
    ['^\\d{4}-\\d{2}$', ' [0-9]{4} "-" [0-9]{2}'],
    // These might let a quotation mark or a backslash pass, or stand anywhere in the text.
    ['^.*$', undefined],
    ['^[^"]+$', undefined],
    ['^"$', undefined],
    ['[a-z]+', undefined],
    ['^(a)\\1$', undefined],
  ]
  for (const [pattern, rule] of table) assert.equal(patternRule(pattern), rule, pattern)
})

it('what a grammar has no words for is left out of the schema, and comes back as a rule', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      slug: { title: 'Slug', type: 'string', maxLength: 100, pattern: '^[a-z]+$' },
      texts: { type: 'array', maxItems: 3, items: { type: 'string', minLength: 1, maxLength: 20_000 } },
    },
    required: ['slug', 'texts'],
  }
  let told: unknown
  const grammar = await grammarOf(schema, async known => {
    told = known
    return `root ::= val0 "\\n\\n\\n\\n" [\\n]*\nval0 ::= "\\"by pattern 0\\""`
  })
  assert.deepEqual(told, {
    type: 'object',
    properties: {
      slug: { const: 'by pattern 0' },
      texts: { type: 'array', maxItems: 3, items: { type: 'string', minLength: 1 } },
    },
  })
  assert.equal(grammar, 'root ::= val0\nval0 ::= "\\""  [a-z]+ "\\""')
})
