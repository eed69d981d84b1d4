/** Findings in the order in which they are worth mending. */
import { visibleText } from '../../../src/text/visible-text.ts'
import type { Page } from '../page/page.ts'
import { createPlaces } from '../page/place.ts'
import type { Finding } from '../result.ts'
import type { Fault } from './fault.ts'
import { type RuleId, rules, type Severity } from './rules.ts'

/** Of one rule so many are listed: who has a hundred pictures without an alternative knows after these. */
export const MOST_OF_A_RULE = 20

/** Those that weigh most first, then in the order of the rules and of the page. */
export function ranked({ source, raw }: Page, faults: readonly Fault[]): Finding[] {
  const placeOf = createPlaces(source, raw)
  const order = new Map(Object.keys(rules).map((rule, at) => [rule as RuleId, at]))
  const listed = [...Map.groupBy(faults, ({ rule }) => rule).values()].flatMap(same =>
    same.toSorted((a, b) => a.start - b.start).slice(0, MOST_OF_A_RULE),
  )
  return listed
    .toSorted(
      (a, b) =>
        weight[rules[a.rule].severity] - weight[rules[b.rule].severity] ||
        (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0) ||
        a.start - b.start,
    )
    .map(({ rule, message, start, end, before, after }, at) => ({
      rank: at + 1,
      rule,
      severity: rules[rule].severity,
      message: visibleText(message),
      why: rules[rule].why,
      place: placeOf(start, end),
      before: visibleText(before),
      after: visibleText(after),
      complete: !gap.test(after),
    }))
}

const weight: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 }

/** Something in square brackets that is no Markdown link and no code. */
const gap = /\[[a-z][^[\]<>{}"]{5,200}\](?!\()/
