/** How well faults are found: ten pages without any, and thirty that are one of them with faults planted. All made for this. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../engine.ts'
import type { Finding, Input } from '../result.ts'
import { type Plant, plantedPages } from './plants.ts'

const folder = join(import.meta.dirname, 'clean')

export const cleanPages: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .toSorted()
    .map(name => [name, readFileSync(join(folder, name), 'utf8')]),
)

export interface Score {
  readonly pages: number
  readonly planted: number
  /** Of the planted faults, those that are found at their place. */
  readonly found: number
  readonly missed: readonly string[]
  /** Findings where nothing was planted. */
  readonly falseAlarms: readonly string[]
}

export function judgeClean(): Score {
  return sum([...cleanPages].map(([name, html]) => score(name, html, addressOf(html), [])))
}

export function judgePlanted(): Score {
  return sum(
    plantedPages.map(({ page, plants, keywords }, at) => {
      const clean = cleanPages.get(page) ?? ''
      const html = plants.reduce((text, plant) => replaced(text, plant), clean)
      return score(`${page} ${at + 1}`, html, addressOf(clean), plants, keywords)
    }),
  )
}

function score(name: string, html: string, url: string, plants: readonly Plant[], keywords?: readonly string[]): Score {
  const input: Input = { html, url, ...(keywords && { keywords }) }
  const { findings } = rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input }).result
  const open = new Set(findings)
  const missed = plants.filter(plant => {
    const found = [...open].find(finding => finding.rule === plant.rule && isThere(finding, html, plant))
    if (found) open.delete(found)
    return !found
  })
  return {
    pages: 1,
    planted: plants.length,
    found: plants.length - missed.length,
    missed: missed.map(({ rule }) => `${name}: ${rule}`),
    falseAlarms: [...open].map(({ rule, place }) => `${name}: ${rule} in line ${place.line}`),
  }
}

/** Where a clean page says that it is. */
function addressOf(html: string): string {
  const link = /<link[^>]*rel="canonical"[^>]*>/.exec(html)?.[0] ?? ''
  return /href="([^"]*)"/.exec(link)?.[1] ?? ''
}

/** Whether a finding's place and the planted text overlap. What is taken away lacks where `at` says. */
function isThere({ place }: Finding, html: string, { to, at = to }: Plant): boolean {
  for (let start = html.indexOf(at); start !== -1; start = html.indexOf(at, start + 1))
    if (place.offset < start + at.length && start < place.offset + place.length) return true
  return false
}

function replaced(text: string, { from, to }: Plant): string {
  if (!text.includes(from)) throw new Error(`There is no ${from} to plant a fault in.`)
  return text.replace(from, () => to)
}

const sum = (scores: readonly Score[]): Score => ({
  pages: scores.length,
  planted: scores.reduce((total, { planted }) => total + planted, 0),
  found: scores.reduce((total, { found }) => total + found, 0),
  missed: scores.flatMap(({ missed }) => missed),
  falseAlarms: scores.flatMap(({ falseAlarms }) => falseAlarms),
})
