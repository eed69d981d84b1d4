import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressesIn } from './addresses.ts'

const found = (text: string) => addressesIn(text, new Set())

describe('an address is found', () => {
  for (const [text, address] of [
    ['Log in at oak-refunds.online today.', 'oak-refunds.online'],
    ['Write to oak.support.', 'oak.support'],
    ['See pay.oak.xyz!', 'pay.oak.xyz'],
    ['See bit.do/x.', 'bit.do/x'],
    ['See oak.cloud/pay', 'oak.cloud/pay'],
    ['See 192.168.1.7/x', '192.168.1.7/x'],
    ['See 192.168.1.7:8080/x', '192.168.1.7:8080/x'],
    ['See oak.cloud:8443/pay', 'oak.cloud:8443/pay'],
    ['See Oak.Support now', 'Oak.Support'],
    ['See get.zip/x now', 'get.zip/x'],
    ['See xn--80ak6aa92e.xn--p1ai now', 'xn--80ak6aa92e.xn--p1ai'],
  ] as const)
    it(text, () => assert.deepEqual(found(text), [address]))
})

describe('no address is found', () => {
  for (const text of [
    'It is done.Then we went.',
    'It is done.the end',
    'See report.pdf and data.csv, written in Node.js/TypeScript.',
    'At 9 a.m. or 5 p.m., e.g. on Monday, i.e.tomorrow',
    'Version 1.2.3.4 costs 3.50EUR, 1.Preheat',
    'Dr.Weber of St.Gallen and J.Smith',
    'It takes 4.5/5 points…and more',
    'Read README.md',
  ])
    it(text, () => assert.deepEqual(found(text), []))
})
