import type { Checks } from '../../../src/kind.ts'
import { drawnWell } from '../picture/drawn-well.ts'
import { photographed } from './photographed.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (_brief, { result, artifacts = [] }) =>
  result.picture === 'photograph' ? photographed(artifacts, result) : drawnWell(artifacts, [result])
