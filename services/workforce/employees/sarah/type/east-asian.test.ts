import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unpackFor } from './east-asian.ts'
import { fitText, place } from './set.ts'
import { shape } from './shape.ts'

const style = { family: 'inter', weight: 400 } as const
const box = { x: 0, y: 0, width: 1000, height: 100 }
const drawn = (text: string, weight: 400 | 700 = 400) =>
  place(fitText(text, { ...style, weight, size: 40, smallest: 40, leading: 1.4 }, box), box)

describe('Chinese, Japanese and Korean', () => {
  it('are set, with nothing missing, once what they need is unpacked', async () => {
    const texts = [
      '在你住的地方种晚餐',
      '繁體中文',
      '住む場所で夕食を育てる',
      'カタカナ、ｗｉｄｅ',
      '사는 곳에서 저녁을',
      '骨 and Latin',
    ]
    await unpackFor({ texts })
    for (const text of texts) assert.deepEqual(shape(text, style).missing, [], text)
  })

  it('are missing where nothing was unpacked, and not left out in silence', () => {
    assert.deepEqual(shape('龘', style).missing, ['龘'])
  })

  it('have the shapes of the language that the text is in, in its parts too', async () => {
    await unpackFor(['直', '直の'])
    const family = (text: string) => shape(text, style).words[0]?.runs[0]?.glyphs[0]?.face.family.name
    assert.equal(family('直'), 'Noto Sans SC')
    assert.equal(family('直の'), 'Noto Sans JP')
    const narrow = { width: 130, height: 60 }
    const cut = fitText('直直直直直直の', { ...style, size: 40, smallest: 40, leading: 1.4 }, narrow)
    assert.ok(cut.cut)
    assert.equal(cut.lines[0]?.runs[0]?.glyphs[0]?.face.family.name, 'Noto Sans JP')
  })

  it('are bolder where a text is bold', async () => {
    await unpackFor('種')
    const { ink: thin } = drawn('種')
    const { ink: bold } = drawn('種', 700)
    assert.ok(thin && bold && bold.right - bold.left > thin.right - thin.left)
  })
})
