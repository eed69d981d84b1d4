/** Maya's posts: the limits of platforms, and claims that stand in the brief, on random briefs. */
import { heldOnRandomBriefs } from '@millhand/employees/maya/create_social_post/random-briefs.fixture.ts'
import type { Figure } from '../figure.ts'

const BRIEFS = 1_000
const SEED = 20_261_122

export async function figures(): Promise<Figure[]> {
  const { briefs, refused, posts, failed } = heldOnRandomBriefs(BRIEFS, SEED)
  const failedBy = (check: string) => failed.filter(line => line.startsWith(check)).length
  const figure = (name: string, value: number): Figure => ({
    section: 'workforce',
    name: `maya create_social_post: ${name}`,
    unit: '',
    rounds: [value],
    aim: { most: 0 },
    limits: [],
    details: { briefs, refused, posts },
  })
  return [
    figure('random briefs with a post over its limit', failedBy('posts_within_their_limits')),
    figure('random briefs with a claim that can’t be traced', failedBy('pieces_')),
  ]
}
