import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digitFormat } from './digit-formats.ts'

describe('a number as a spreadsheet shows it', () => {
  for (const [what, code, value, shown] of [
    ['a post code', '00000', 1067, '01067'],
    ['with more digits than its format', '0000', 20095, '20095'],
    ['with the language of the format', '[$-407]00000', 1067, '01067'],
    ['with formats for negative numbers and texts', '00000;-00000;00000;@', 1067, '01067'],
    ['German, with the country', '\\D\\-00000', 1067, 'D-01067'],
    ['the same in quotes', '&quot;D-&quot;00000', 1067, 'D-01067'],
    ['a social security number', '000\\-00\\-0000', 12345678, '012-34-5678'],
    ['a post code of the USA', '[&lt;=99999]00000;00000\\-0000', 1067, '01067'],
    ['the same with nine digits', '[&lt;=99999]00000;00000\\-0000', 11151234, '01115-1234'],
    ['a time of the day', '00\\:00', 930, '09:30'],
    ['a day', '00\\.00\\.0000', 5012026, '05.01.2026'],
    ['of a space as wide as a bracket, none is left', '00000_)', 7, '00007'],
    ['a month', '00', 1, undefined],
    ['an amount', '#,##0', 1067, undefined],
    ['decimals', '0000.00', 1067, undefined],
    ['a weight', '0000&quot; kg&quot;', 12, undefined],
    ['an amount of money', '[$€-407]\\ 0000', 12, undefined],
    ['a percentage', '0000%', 12, undefined],
    ['a length of time', '[h]:0000', 12, undefined],
    ['thousands', '0000,', 12, undefined],
    ['a fraction', '0000 0/0', 12, undefined],
    ['numbers in general', 'General', 12, undefined],
  ] as const)
    it(`${what}: ${code}`, () => assert.equal(digitFormat(code)?.(value), shown))
})
