/** The input of a forecast, as `input.schema.json` has it. */
import type { Assumptions } from '../table/conventions.ts'
import type { Filling } from './reading/gaps.ts'

export interface ForecastInput extends Assumptions {
  readonly horizon: number
  /** One series by itself … */
  readonly name?: string
  readonly values?: readonly (number | null)[]
  readonly timestamps?: readonly string[]
  /** … or several … */
  readonly series?: readonly GivenSeries[]
  /** … or a table as text; where none of these is given, the one file of the brief. */
  readonly csv?: string
  readonly date_column?: string
  readonly value_columns?: readonly string[]
  readonly series_column?: string
  readonly frequency?: FrequencyName
  readonly season_length?: number
  readonly levels?: readonly number[]
  readonly non_negative?: boolean
  readonly missing?: Filling
}

export interface GivenSeries {
  readonly name?: string
  readonly values: readonly (number | null)[]
  readonly timestamps?: readonly string[]
}

export type FrequencyName =
  | 'yearly'
  | 'quarterly'
  | 'monthly'
  | 'weekly'
  | 'daily'
  | 'business_daily'
  | 'hourly'
  | 'half_hourly'
  | 'quarter_hourly'
  | 'minutely'
