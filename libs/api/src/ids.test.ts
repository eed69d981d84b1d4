import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countingIds, createIds, firstIdAt, idTime, parseId } from './ids.ts'

const ones = (bytes: Uint8Array) => void bytes.fill(0xff)
const zeros = (bytes: Uint8Array) => void bytes.fill(0)

test('an id is the prefix and the base32 of a UUIDv7', () => {
  const ms = Date.UTC(2026, 10, 21, 7, 30)
  for (const random of [zeros, ones]) {
    const id = createIds({ now: () => ms, random })('task')
    assert.match(id, /^task_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    const uuid = uuidOf(id)
    assert.equal(Number(uuid >> 80n), ms)
    assert.equal((uuid >> 76n) & 15n, 7n, 'version 7')
    assert.equal((uuid >> 62n) & 3n, 2n, 'the variant of RFC 9562')
  }
})

test('all 74 free bits are used', () => {
  const free = 0xfff3fffffffffffffffn
  const at = (random: (bytes: Uint8Array) => void) => uuidOf(createIds({ now: () => 1, random })('req')) & free
  assert.equal(at(zeros), 0n)
  assert.equal(at(ones), 0xfff3fffffffffffffffn)
})

test("the suffix of the TypeID specification's example is read and written alike", () => {
  // github.com/jetify-com/typeid, spec/valid.json, "uuidv7"
  const suffix = '01h455vb4pex5vsknk084sn02q'
  assert.equal(parseId('task', `task_${suffix}`), `task_${suffix}`)
  assert.equal(uuidOf(`task_${suffix}`), 0x01890a5dac96774bbcceb302099a8057n)
  assert.equal(idTime(`task_${suffix}`), 0x01890a5dac96)
  assert.equal(firstIdAt('task', 0x01890a5dac96).slice(0, 15), `task_${suffix}`.slice(0, 15))
})

test('ids ascend within a millisecond, over clock steps back, and over counter overflow', () => {
  let ms = 1_000_000
  let fill = 0xff
  const ids = createIds({ now: () => ms, random: bytes => void bytes.fill(fill) })
  let last = ids('evt')
  const ascends = () => {
    const next = ids('evt')
    assert.ok(next > last, `${next} > ${last}`)
    last = next
  }
  ascends() // the counter stood at its greatest value, so the id takes the next millisecond
  assert.equal(idTime(last), 1_000_001)
  fill = 0
  for (let n = 0; n < 3000; n++) ascends()
  ms -= 3_600_000
  for (let n = 0; n < 3000; n++) ascends()
  assert.equal(idTime(last), 1_000_001)
  ms = 2_000_000
  ascends()
  assert.equal(idTime(last), 2_000_000)
})

test('a carry from the lower counter into the upper ascends', () => {
  // low starts at its greatest value and high at 0
  let words = 0
  const ids = createIds({
    now: () => 5,
    random: bytes => new Uint32Array(bytes.buffer).fill(0xffffffff, 0, 1023).fill(0, 1023) && words++,
  })
  const first = ids('evt')
  const second = ids('evt')
  assert.ok(second > first)
  assert.equal(uuidOf(second) >> 60n, (uuidOf(first) >> 60n) + 1n)
  assert.equal(words, 1)
})

test('many ids at once are unique and sorted', () => {
  const ids = createIds()
  const made = Array.from({ length: 200_000 }, () => ids('task'))
  assert.equal(new Set(made).size, made.length)
  assert.ok(made.every((id, n) => n === 0 || id > (made[n - 1] as string)))
})

test('two processes in the same millisecond do not collide', () => {
  const now = () => 1
  const made = [createIds({ now }), createIds({ now }), createIds({ now })].flatMap(ids =>
    Array.from({ length: 1000 }, () => ids('task')),
  )
  assert.equal(new Set(made).size, made.length)
})

test('parseId takes ids of its prefix and nothing else', () => {
  const id = createIds()('task')
  assert.equal(parseId('task', id), id)
  for (const text of [
    '',
    'task_',
    id.slice(5),
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    id.replace('task', 'tusk'),
    id.replace('_', '-'),
    id.replace('task_0', 'task_8'),
    `task_${'0'.repeat(25)}l`,
    `task_${'0'.repeat(25)}\n`,
    `task_${'0'.repeat(25)}\0`,
    `task_${'0'.repeat(25)}é`,
  ]) {
    assert.equal(parseId('task', text), undefined, JSON.stringify(text))
  }
  assert.equal(parseId('key', id), undefined)
})

test('firstIdAt parts the ids made before a time from those made at it or after', () => {
  const before = createIds({ now: () => 999, random: ones })('task')
  const at = createIds({ now: () => 1000, random: zeros })('task')
  const bound = firstIdAt('task', 1000)
  assert.ok(before < bound && bound < at)
  assert.equal(idTime(bound), 1000)
  assert.equal(firstIdAt('task', 999.5), bound)
  assert.equal(firstIdAt('task', -5), firstIdAt('task', 0))
  assert.equal(idTime(firstIdAt('task', Date.UTC(9999, 11, 31))), Date.UTC(9999, 11, 31))
})

test('counting ids are the same in every run', () => {
  const run = () => {
    const ids = countingIds()
    return [ids('task'), ids('task'), ids('evt')]
  }
  assert.deepEqual(run(), run())
  assert.equal(new Set(run()).size, 3)
})

/** The 128 bits of an id. */
function uuidOf(id: string): bigint {
  return [...id.slice(-26)].reduce(
    (bits, char) => bits * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(char)),
    0n,
  )
}
