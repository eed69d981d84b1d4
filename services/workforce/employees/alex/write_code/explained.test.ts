/** An explanation of code, held against the code and against what was run. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { explanationChecks } from './explained.ts'

const paths = ['src/in-words.ts', 'src/in-words.test.ts']
const known =
  "const units = ['day']\nexport function inWords(seconds: number): string {\n  if (seconds < 0) throw new RangeError('rest')\n  return units.join(' ')\n}\nimport { inWords } from './in-words.ts'\nTake --dry-run and MAX_UNITS from the environment."

const faultsOf = (explanation: string, testsPassed = false) =>
  explanationChecks({ explanation, paths, known, testsPassed }).map(({ value }) => value)

for (const [explanation, names] of [
  ['`inWords` joins the first two `units`.', '0'],
  ['`inWords(3661)` gives `"1 hour 1 minute"`, and `units.join` puts it together.', '0'],
  ['`toWords` joins the first two.', '1: toWords'],
  ['The helper formatUnit rounds, and parse_all(text) reads.', '2: formatUnit, parse_all'],
  ['It throws a `RangeError` for less than 0.', '0'],
  ['It throws a TypeError for less than 0.', '1: TypeError'],
  ['The code is in `src/in-words.ts`, beside in-words.test.ts.', '0'],
  ['The code is in `src/words.ts`, see also `lib/all.py`.', '2: src/words.ts, lib/all.py'],
  ['Run `node src/in-words.ts --dry-run`.', '0'],
  ['Run `node src/in-words.ts --force`.', '1: --force'],
  ['It uses no `eval` and does not call `Date.now()`; unlike `Intl.DurationFormat`, it cuts.', '0'],
  ['It returns `null` or a `string` in JavaScript and TypeScript.', '0'],
  ['It runs on Node.js, React.js and macOS, and takes the argument(s) in snake_case or camelCase.', '0'],
  ['It uses `String.prototype.join` for a `GET` or `POST`, and a `RegExp`.', '0'],
  ['The code is in Words.ts, and words.js reads it with toWords(s).', '3: Words.ts, words.js, toWords'],
  ['`MAX_UNITS` is read once, `MIN_UNITS` never.', '1: MIN_UNITS'],
  ['Use it so:\n```ts\nconst all = anything(1)\n```\n`inWords` does the rest.', '0'],
] as const)
  it(`names ${names === '0' ? 'what there is' : names.slice(3)}: ${explanation.slice(0, 60)}`, () =>
    assert.equal(faultsOf(explanation)[0], names))

for (const [explanation, ran, told] of [
  ['All tests pass.', true, '0'],
  ['All tests pass.', false, '1: “All tests pass”'],
  ['I have tested it with Node 24.', false, '1: “I have tested”'],
  ['It passes the given tests.', false, '1: “passes the given tests”'],
  ['The tests should pass once you add the key.', false, '0'],
  ['It is tested by whether the rest is zero, and the loop runs through all units.', false, '0'],
  ['It is 3 times faster than the old one.', true, '1: “3 times faster”'],
  ['We measured it, and it has 100 % coverage.', true, '2: “We measured”, “100 % coverage”'],
  ['It walks through the units and joins them.', false, '0'],
] as const)
  it(`tells of runs, ${ran ? 'where tests passed' : 'where none did'}: ${explanation}`, () =>
    assert.equal(faultsOf(explanation, ran)[1], told))

it('in another language is not checked for runs, and says so', () => {
  const [names, runs] = faultsOf(
    '`inWords` nimmt die Einheiten der Reihe nach und verbindet die ersten beiden. Alle Tests sind grün, und die Typen stimmen auch.',
  )
  assert.equal(names, '0')
  assert.match(String(runs), /^not checked: there are no rules for de/)
})

it('is read in time however long it is', { timeout: 300_000 }, () => {
  for (const part of [
    '`',
    '`a',
    'a_',
    'aB',
    'a(',
    'not ',
    'tests ',
    'the a ',
    'all tests ',
    '1 ',
    './',
    'a.',
    '```\n',
    '\n',
  ])
    explanationChecks({ explanation: part.repeat(50_000 / part.length), paths, known, testsPassed: false })
})
