/** What an expression of PromQL names. */
import { type MetricSpec, metricSpecs } from '@millhand/telemetry'

const specs: Readonly<Record<string, MetricSpec>> = metricSpecs

/** The spec of a series: a histogram has series of three names. */
export function specOf(series: string): MetricSpec | undefined {
  const histogram = specs[series.replace(/_(bucket|count|sum)$/, '')]
  return specs[series] ?? (histogram?.kind === 'histogram' ? histogram : undefined)
}

/** The metrics in an expression: what is left without strings, labels, ranges, functions and operators. */
export const metricsIn = (expr: string): string[] =>
  expr
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|on)\s*\([^)]*\)/g, ' ')
    .match(/\b[a-z_][\w:]*(?![\w:]|\s*\()/gi)
    ?.filter(name => !['and', 'or', 'unless'].includes(name)) ?? []

export interface Matcher {
  readonly metric: string
  readonly label: string
  /** Whether the value is a regular expression. */
  readonly isPattern: boolean
  readonly value: string
}

/** What an expression asks of labels. */
export const matchersIn = (expr: string): Matcher[] =>
  [...expr.matchAll(/([\w:]+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(!?=|[=!]~)(["'])(.*?)\3/g)].map(([, label = '', operator = '', , value = '']) => ({
      ...{ metric, label, value },
      isPattern: operator.endsWith('~'),
    })),
  )

/** The labels by which an expression groups. */
export const groupsIn = (expr: string): string[] =>
  [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/[\s,]+/).filter(Boolean))
