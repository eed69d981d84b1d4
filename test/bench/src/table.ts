/** Figures as lines for people. */
import { type Figure, median, ratio, reached } from './figure.ts'

/** The lines of one figure: itself, then each of its limits below it. */
export function tableLines(figure: Figure): string[] {
  const { name, unit, rounds, limits, aim } = figure
  const verdict = { true: 'ok', false: 'MISSED', undefined: '' }[`${reached(figure)}`]
  const wanted = aim ? ('least' in aim ? `≥ ${short(aim.least)}` : `≤ ${short(aim.most)}`) : ''
  return [
    row(name, `${range(rounds)} ${unit}`, '', wanted, `${verdict} ${details(figure)}`),
    ...limits.map(limit =>
      row(
        `  ${limit.cited ? 'cited' : 'limit'}: ${limit.name}`,
        `${range(limit.rounds)} ${unit}`,
        percent(ratio(figure, limit)),
        limit.leastRatio ? `≥ ${percent(limit.leastRatio)}` : limit.mostRatio ? `≤ ${percent(limit.mostRatio)}` : '',
        limit.cited ?? '',
      ),
    ),
  ]
}

export const tableHead = () => row('', 'median (least to most)', 'of limit', 'wanted', '')

function row(name: string, value: string, share: string, wanted: string, rest: string): string {
  return `${name.padEnd(54)} ${value.padEnd(34)} ${share.padStart(8)}  ${wanted.padEnd(10)} ${rest.trim()}`.trimEnd()
}

function range(rounds: readonly number[]): string {
  const middle = short(median(rounds))
  return rounds.length < 2 ? middle : `${middle} (${short(Math.min(...rounds))} to ${short(Math.max(...rounds))})`
}

const details = (figure: Figure) =>
  Object.entries(figure.details)
    .map(([name, value]) => `${name}=${short(value)}`)
    .join(' ')

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

function short(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
