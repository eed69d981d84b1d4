import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBoxes } from './boxes.ts'
import { joinTouching } from './join.ts'
import { inRows } from './reading-order.ts'
import { decode } from './recognise.ts'
import { corners, type Region } from './region.ts'

const WIDTH = 200

/** A map with a bar of text, turned by an angle in degrees. */
function bar(angle: number, half: readonly [number, number] = [60, 6]) {
  const [u, v] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
  const data = Float32Array.from({ length: WIDTH * WIDTH }, (_, at) => {
    const [x, y] = [(at % WIDTH) - 100, Math.floor(at / WIDTH) - 100]
    return Math.abs(x * u + y * v) <= half[0] && Math.abs(y * u - x * v) <= half[1] ? 0.9 : 0
  })
  return { width: WIDTH, height: WIDTH, data }
}

test('a bar is found with its angle and middle, grown by area over perimeter', () => {
  for (const angle of [0, 8, -20, 40]) {
    const [box, ...more] = findBoxes(bar(angle))
    assert.ok(box && more.length === 0)
    assert.ok(Math.hypot(box.center[0] - 100, box.center[1] - 100) < 1.5, `${box.center}`)
    assert.ok(Math.abs((Math.atan2(box.u[1], box.u[0]) * 180) / Math.PI - angle) < 2, `${box.u}`)
    const distance = (120 * 12 * 1.6) / (2 * 132)
    assert.ok(Math.abs(box.width - 120 - 2 * distance) < 4, `${box.width}`)
    assert.ok(Math.abs(box.height - 12 - 2 * distance) < 4, `${box.height}`)
    assert.ok(box.score > 0.75)
  }
})

test('specks and faint patches are no boxes', () => {
  assert.deepEqual(findBoxes(bar(0, [1, 1])), [])
  const faint = bar(0)
  assert.deepEqual(findBoxes({ ...faint, data: faint.data.map(value => value * 0.4) }), [])
  assert.deepEqual(findBoxes({ width: 4, height: 4, data: new Float32Array(16) }), [])
})

const region = (x: number, y: number, width = 80, height = 20, angle = 0): Region => ({
  center: [x, y],
  u: [Math.cos(angle), Math.sin(angle)],
  width,
  height,
})

test('rows go from top to bottom, each from left to right', () => {
  const [a, b, c, d] = [region(50, 20), region(200, 23), region(50, 60), region(200, 58)]
  assert.deepEqual(inRows([d, c, b, a]), [
    [a, b],
    [c, d],
  ])
})

test('rows of a turned page stay rows', () => {
  const angle = 0.15
  const place = (along: number, down: number) =>
    region(
      along * Math.cos(angle) - down * Math.sin(angle),
      along * Math.sin(angle) + down * Math.cos(angle),
      80,
      20,
      angle,
    )
  const [a, b, c, d] = [place(0, 0), place(400, 0), place(0, 30), place(400, 30)]
  assert.deepEqual(inRows([d, b, c, a]), [
    [a, b],
    [c, d],
  ])
})

test('rows of a page that stands on its head begin at its bottom right', () => {
  const [a, b] = [region(200, 100, 80, 20, Math.PI), region(200, 50, 80, 20, Math.PI)]
  assert.deepEqual(inRows([b, a]), [[a], [b]])
})

test('pieces that touch are one line; columns apart, or of other sizes, are not', () => {
  const [joined, ...more] = joinTouching([region(50, 20, 80), region(128, 21, 80)])
  assert.ok(joined && more.length === 0)
  assert.deepEqual(corners(joined)[0]?.map(Math.round), [10, 10])
  assert.equal(Math.round(joined.width), 158)
  assert.equal(joinTouching([region(50, 20, 80), region(150, 20, 80)]).length, 2)
  assert.equal(joinTouching([region(50, 20, 80), region(120, 20, 80, 60)]).length, 2)
})

test('repeats and blanks are left out; a likely space between words is put in', () => {
  const alphabet = ['', 'a', 'b', ' ']
  const blank = [1, 0, 0, 0]
  const steps = [
    blank,
    [0, 0.9, 0, 0],
    [0, 0.9, 0, 0],
    blank,
    [0, 0.7, 0, 0],
    [0.98, 0, 0, 0.02],
    [0, 0, 0.8, 0],
    blank,
  ]
  const { text, confidence } = decode(Float32Array.from(steps.flat()), 4, alphabet)
  assert.equal(text, 'aa b')
  assert.ok(Math.abs(confidence - 0.8) < 1e-6)
})
