/**
 * The benchmark of the M4 competition: the last value again, of the values without their season, where they have one, with the
 * season put back on. Makridakis, Spiliotis and Assimakopoulos (2020), table 2. Where a value is not positive, the season is added.
 */
import { seasonalIndices, withoutSeason } from '@millhand/employees/david/forecast/models/decompose.ts'
import { isSeasonal } from '@millhand/employees/david/forecast/models/seasonal.ts'
import type { Said } from './said.ts'
import type { Window } from './windows.ts'

export function naive2({ known, horizon, period }: Window): Said {
  const values = Float64Array.from(known)
  const kind = values.every(value => value > 0) ? 'M' : 'A'
  const season = isSeasonal(values, period) ? seasonalIndices(values, period, kind) : undefined
  const last = (season ? withoutSeason(values, season, kind) : values).at(-1) ?? 0
  return {
    points: Array.from({ length: horizon }, (_, h) => {
      const index = season?.[(values.length + h) % period]
      return index === undefined ? last : kind === 'M' ? last * index : last + index
    }),
  }
}
