/** Maya’s ads: the room of fields, and claims that stand in the brief, on random briefs. */
import { heldOnRandomBriefs } from '@millhand/employees/maya/generate_ad_copy/random-briefs.fixture.ts'
import type { Figure } from '../figure.ts'

const BRIEFS = 1_000
const SEED = 20_261_122

export async function figures(): Promise<Figure[]> {
  const { briefs, refused, texts, failed } = heldOnRandomBriefs(BRIEFS, SEED)
  const failedBy = (check: string) => failed.filter(line => line.startsWith(check)).length
  const figure = (name: string, value: number): Figure => ({
    section: 'workforce',
    name: `maya generate_ad_copy: ${name}`,
    unit: '',
    rounds: [value],
    aim: { most: 0 },
    limits: [],
    details: { briefs, refused, texts },
  })
  return [
    figure('random briefs with a text over its limit', failedBy('texts_within_their_limits')),
    figure('random briefs with a claim that can’t be traced', failedBy('pieces_')),
  ]
}
