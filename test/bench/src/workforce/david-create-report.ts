/** David writes reports: how long the example takes, with its charts and its PDF. */
import { exampleTime } from '../brief-time.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  return [await exampleTime('david', 'create_report', 2000)]
}
