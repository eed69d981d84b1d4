/** The file of plans, read and checked as a whole: what is wrong with it is told at once. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Family, families, type PlanNames } from '@millhand/api'
import { ConfigurationError } from '@millhand/process'
import { parseDocument } from 'yaml'
import type { ComputePlan, DeveloperPlan, WorkforcePlan } from './plan.ts'
import { type PriceSet, priceFaults, priceSets } from './price-file.ts'

export interface PlanFile {
  readonly compute: Readonly<Record<string, ComputePlan>>
  readonly developer: Readonly<Record<string, DeveloperPlan>>
  readonly workforce: Readonly<Record<string, WorkforcePlan>>
  readonly new_account: PlanNames
  readonly prices: readonly PriceSet[]
}

/** @throws ConfigurationError naming all that is wrong with it */
export function readPlanFile(path = shipped): PlanFile {
  return parsePlanFile(contentOf(path), path)
}

/** The same for its text; `path` is what it is called. @throws ConfigurationError */
export function parsePlanFile(text: string, path: string): PlanFile {
  const document = parseDocument(text)
  const faults = document.errors.map(({ message }) => message.split('\n')[0] ?? message)
  const value: unknown = faults.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined
  if (faults.length === 0) faults.push(...faultsOf(value))
  if (faults.length > 0) throw new ConfigurationError(faults.map(fault => `${path}: ${fault}`))
  const file = value as PlanFile
  return { ...file, prices: priceSets(file.prices) }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`The file of plans can't be read: ${(error as Error).message}.`])
  }
}

interface Field {
  /** What it must be, in words. */
  readonly form: string
  readonly fits: (value: unknown) => boolean
}

/** The least and the most are those of the numbers that the contract carries them in. */
const whole = (least: number): Field => ({
  form: `a whole number from ${least} to ${MOST}`,
  fits: value => Number.isInteger(value) && Number(value) >= least && Number(value) <= MOST,
})
const orNull = ({ form, fits }: Field): Field => ({
  form: `${form}, or null`,
  fits: value => value === null || fits(value),
})
const MOST = 1_000_000_000

const share = {
  weight: {
    ...whole(1),
    form: 'a whole number from 1 to 1000',
    fits: (value: unknown) => whole(1).fits(value) && Number(value) <= 1000,
  },
  max_running: whole(1),
  max_queued: whole(1),
}

const fields: Readonly<Record<Family, Readonly<Record<string, Field>>>> = {
  compute: { requests_per_minute: orNull(whole(1)), ...share, max_instances: whole(1), max_replicas: whole(1) },
  developer: { requests_per_minute: orNull(whole(1)) },
  workforce: { tasks_per_day: orNull(whole(1)), ...share },
}

function faultsOf(file: unknown): string[] {
  if (!isMap(file)) return [`it must have ${parts.join(', ')}.`]
  const known = new Set<string>(parts)
  return [
    ...Object.keys(file)
      .filter(name => !known.has(name))
      .map(name => `${name} is not known.`),
    ...families.flatMap(family => familyFaults(family, file[family])),
    ...newAccountFaults(file),
    ...priceFaults(file.prices, namesOf(file)),
  ]
}

const parts = [...families, 'new_account', 'prices']

/** The plans that the file offers, by family. */
const namesOf = (file: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(families.map(family => [family, isMap(file[family]) ? Object.keys(file[family]) : []])) as Record<
    Family,
    string[]
  >

function familyFaults(family: Family, plans: unknown): string[] {
  if (!isMap(plans) || Object.keys(plans).length === 0) return [`${family} must have at least one plan.`]
  return Object.entries(plans).flatMap(([name, plan]) => planFaults(family, name, plan))
}

function planFaults(family: Family, name: string, plan: unknown): string[] {
  const path = `${family}.${name}`
  if (!NAME.test(name)) return [`${path} must be named with at most 64 of a-z, 0-9, \`_\` and \`-\`, a letter first.`]
  if (!isMap(plan)) return [`${path} must have ${Object.keys(fields[family]).join(', ')}.`]
  const unknown = Object.keys(plan).filter(field => !Object.hasOwn(fields[family], field))
  return [
    ...unknown.map(field => `${path}.${field} is not known.`),
    ...Object.entries(fields[family]).flatMap(([field, { form, fits }]) => {
      if (!Object.hasOwn(plan, field)) return [`${path}.${field} is missing: ${form}.`]
      return fits(plan[field]) ? [] : [`${path}.${field} must be ${form}; it is ${JSON.stringify(plan[field])}.`]
    }),
  ]
}

function newAccountFaults(file: Readonly<Record<string, unknown>>): string[] {
  const { new_account } = file
  if (!isMap(new_account)) return ['new_account must name a plan of each family.']
  const unknown = Object.keys(new_account).filter(name => !families.some(family => family === name))
  return [
    ...unknown.map(name => `new_account.${name} is not known.`),
    ...families.flatMap(family => {
      const [name, plans] = [new_account[family], file[family]]
      if (typeof name === 'string' && isMap(plans) && Object.hasOwn(plans, name)) return []
      return [`new_account.${family} must name one of its plans.`]
    }),
  ]
}

/** As it may stand in `compute:starter,developer:free`. */
const NAME = /^[a-z][a-z0-9_-]{0,63}$/

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shipped = fileURLToPath(new URL('../../../deploy/plans.yaml', import.meta.url))
