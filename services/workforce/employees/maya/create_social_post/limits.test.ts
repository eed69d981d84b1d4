import assert from 'node:assert/strict'
import { it } from 'node:test'
import twitter from 'twitter-text'
import { heldOnRandomBriefs } from './random-briefs.fixture.ts'

it('the limits of each platform hold on a thousand random briefs, and every claim is traceable', () => {
  let longest = 0
  const { briefs, posts, failed } = heldOnRandomBriefs(1_000, 20_261_122, post => {
    if (post.platform !== 'x') return
    const { valid, weightedLength } = twitter.parseTweet(post.text)
    assert.ok(valid, post.text)
    longest = Math.max(longest, weightedLength)
  })
  assert.equal(briefs, 1_000)
  assert.ok(posts > 5_000, String(posts))
  assert.deepEqual(failed, [])
  assert.ok(longest > 275, `the limit is reached for: ${longest}`)
})
