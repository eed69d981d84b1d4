import type { Checks } from '../../../src/kind.ts'
import { drawnWell } from '../picture/drawn-well.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (_brief, { result, artifacts = [] }) => drawnWell(artifacts, [result])
