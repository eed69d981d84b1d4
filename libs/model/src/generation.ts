/** What a task may ask of a model that generates text: its parameters. */
import { excerpt } from './excerpt.ts'
import { isObject } from './is-object.ts'
import type { Schema } from './output-schema.ts'
import { responseSchemaFault } from './response-schema.ts'

export interface Generation {
  readonly maxTokens: number
  readonly temperature: number
  readonly topP: number
  readonly seed: number
  /** Texts before which the answer ends. */
  readonly stop: readonly string[]
  readonly responseSchema: Schema | undefined
}

export interface ParameterFault {
  readonly param: string
  readonly code: string
  readonly message: string
}

type Parameters = Readonly<Record<string, unknown>>

const MOST_TOKENS = 100_000
/** To llama.cpp the next one means any seed (`LLAMA_DEFAULT_SEED`). */
const MOST_SEED = 2 ** 32 - 2
const MOST_STOPS = 4
const MOST_STOP_CHARACTERS = 64
const NAMES = ['max_tokens', 'temperature', 'top_p', 'seed', 'stop', 'response_schema', 'provider']

/** All validation errors. `also`: names of further parameters, which others read. */
export function generationFaults(parameters: Parameters = {}, also: readonly string[] = []): ParameterFault[] {
  const known = [...NAMES, ...also]
  const unknown = Object.keys(parameters).filter(name => !known.includes(name))
  const faults = unknown.map(name =>
    fault(name, 'unknown', `is no parameter of a model that generates text; there are ${NAMES.join(', ')}`),
  )
  for (const [name, what] of Object.entries(faultsByName(parameters)))
    if (what !== undefined) faults.push(fault(name, 'invalid', what))
  return faults
}

/** What was checked when the task was made, with what holds where nothing is asked. */
export function readGeneration(parameters: Parameters = {}): Generation {
  const { max_tokens, temperature, top_p, seed, stop, response_schema } = parameters
  return {
    maxTokens: (max_tokens as number | undefined) ?? 512,
    temperature: (temperature as number | undefined) ?? 0.7,
    topP: (top_p as number | undefined) ?? 0.95,
    seed: (seed as number | undefined) ?? 0,
    stop: stop === undefined ? [] : ([stop].flat() as string[]),
    responseSchema: response_schema as Schema | undefined,
  }
}

function fault(name: string, code: string, what: string): ParameterFault {
  const param = `parameters.${excerpt(name)}`
  return { param, code, message: `\`${param}\` ${what}.` }
}

function faultsByName(parameters: Parameters): Readonly<Record<string, string | undefined>> {
  const { max_tokens, temperature, top_p, seed, stop, response_schema } = parameters
  const check = (value: unknown, isFit: boolean, what: string) => (value === undefined || isFit ? undefined : what)
  const isWhole = (value: unknown, least: number, most: number) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  const isFrom = (value: unknown, least: number, most: number) =>
    typeof value === 'number' && value >= least && value <= most
  return {
    max_tokens: check(
      max_tokens,
      isWhole(max_tokens, 1, MOST_TOKENS),
      `must be a whole number from 1 to ${MOST_TOKENS}`,
    ),
    temperature: check(temperature, isFrom(temperature, 0, 2), 'must be a number from 0 to 2'),
    top_p: check(top_p, isFrom(top_p, 0.01, 1), 'must be a number from 0.01 to 1'),
    seed: check(seed, isWhole(seed, 0, MOST_SEED), `must be a whole number from 0 to ${MOST_SEED}`),
    stop: check(
      stop,
      areStops(stop),
      `must be a string of 1 to ${MOST_STOP_CHARACTERS} characters, or a list of 1 to ${MOST_STOPS} of them`,
    ),
    response_schema:
      response_schema === undefined
        ? undefined
        : isObject(response_schema)
          ? responseSchemaFault(response_schema)
          : 'must be a JSON Schema: an object',
  }
}

function areStops(value: unknown): boolean {
  const stops = Array.isArray(value) ? value : [value]
  return (
    stops.length > 0 &&
    stops.length <= MOST_STOPS &&
    stops.every(
      stop => typeof stop === 'string' && stop !== '' && stop.length <= MOST_STOP_CHARACTERS && stop.isWellFormed(),
    )
  )
}
