/** Which sentences rank a group as no finding does. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { typed } from '../table/columns.ts'
import { readRows } from '../table/json.ts'
import { groupNames, unfoundedRankings } from './rankings.ts'

const groups = ['north', 'south', 'east', 'north east', 'web', 'phone']
const statements = [
  'visits and orders rise together (a strong link: rank correlation 0.9 in 120 rows).',
  'orders is highest where region is “North” (median 31) and lowest where region is “South” (16).',
  'Of the values of channel with at least 5 rows, basket is highest where channel is “web” (median 50) and lowest where channel is “phone” (20). One value of channel with fewer is left out (3 rows); its median is 90.',
  'returns is highest where region is “North” or “South” (median 5) and lowest where region is “East” (2).',
  'salary is highest where channel is “web” (median 50) and lowest where channel is “phone” (20). Less than half of it is left among rows with the same region: the medians differ by 3 on average (90 rows).',
  'Where region is “East”, channel is “phone” in 60 % of the rows; elsewhere, in 20 %.',
]
const faultsOf = (sentence: string) => unfoundedRankings([sentence], groups, statements)

describe('a sentence that ranks a group', () => {
  for (const sentence of [
    'Orders are highest in the north.',
    'The most important finding is that orders are highest in the north.',
    'The table has 120 rows. Orders are higher in North than in South.',
    'Orders are lowest where region is “South”, with a median of 16.',
    'Of the channels with at least 5 rows, basket is highest for web.',
    'In the east, phone has a larger share.',
    'North, South and East have at least 5 rows.',
    'Returns are highest in North and South.',
    'Returns are lowest in the east.',
    'The highest number of orders is 31.',
    'The north has 40 rows, more than 30 of the table.',
  ])
    it(`is left in place: ${sentence}`, () => assert.deepEqual(faultsOf(sentence), []))

  for (const sentence of [
    'North has the most orders of all regions.',
    'Returns are highest in the north.',
    'Salary is highest for web.',
    'North East has the highest orders.',
    'Orders are highest in the south.',
    'Orders are higher in South than in North.',
    'Visits are highest in the north.',
    'Basket is highest for web.',
    'East leads all regions.',
    'East is the busiest region.',
    'Orders are higher in North than in East.',
    'Phone is the best channel in the east.',
    'South dominates orders.',
    'Orders peak in the north, and visits peaks in the east.',
    'West of the web, phone is number one in basket.',
    'The bulk of orders comes from the north.',
    'South comes first in orders.',
  ])
    it(`is named: ${sentence}`, () => assert.equal(faultsOf(sentence).length, 1))
})

it('names of groups are words, not flags and codes', () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({ place: i % 2 ? 'North' : 'no', code: i % 2 ? '12' : '13' }))
  assert.deepEqual(groupNames(typed(readRows(rows, 'rows'))), ['north'])
})
